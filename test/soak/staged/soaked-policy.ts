import { STAGED_BINDING_POLICY } from '../../../clients/kubernetes/kinds.ts';
import type { StagedBindingPolicy, StagedBindingPolicyStatus } from '../../../crds/staged-binding-policy.ts';
import type { LabelSelector } from '../../../domain/kubernetes/selector.ts';
import type { Stage } from '../../support/stage/stage.ts';
import type { Dice } from '../common/dice.ts';
import { say } from '../common/incident.ts';
import { selectedBy } from './clusters.ts';

/** How long a stage has to have been passed for its clusters to keep the workload, in milliseconds. */
const STEADY_MS = 2_000;
/** How long what a person has asked for may take to be done. */
const QUIET_MS = 10_000;

/** A BindingPolicy as Okra makes it. */
export interface BindingPolicy {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly ownerReferences?: readonly { readonly name: string }[];
  };
  readonly spec: { readonly clusterSelectors: readonly LabelSelector[] };
}

const condition =
  "obj.results.exists(r, r.name == 'ready' && r.rows.all(row, row.columns.exists(col, col.type == 'Number' && col.float == '1')))";
const stages = ['dev', 'test', 'prod'].map((env) => ({
  name: env,
  clusterSelectors: [{ matchLabels: { env } }],
  condition,
}));

/** What StagedBindingPolicies are edited to besides their stages. */
const edits = [
  {},
  { stageRetention: 'Remove' },
  { progressive: { maxConcurrency: 1 } },
  { progressive: { maxConcurrency: 1, progressDeadline: '2s' } },
];

/** A StagedBindingPolicy to which anything may happen, and its BindingPolicies. */
export class SoakedPolicy {
  readonly name: string;
  /** Its BindingPolicies, as the API server tells of them. */
  readonly placed = new Map<string, BindingPolicy>();
  /** Clusters that have lost the workload though their stage was passed. */
  readonly lost: string[] = [];
  /** How often something happened after which an abort may come to something else. */
  disturbances = 0;
  /** Clusters that have to keep the workload, with the time since when. */
  readonly #owed = new Map<string, number>();
  readonly #stage: Stage;
  readonly #dice: Dice;
  #more: object = {};
  #quietUntil = 0;

  constructor(stage: Stage, dice: Dice, name: string) {
    this.#stage = stage;
    this.#dice = dice;
    this.name = name;
  }

  get workflowId(): string {
    return `staged-binding-policy/${this.name}`;
  }

  /** Something happens after which clusters may lose the workload. */
  disturb(): void {
    this.disturbances += 1;
    this.#owed.clear();
    this.#quietUntil = Date.now() + QUIET_MS;
  }

  async apply(): Promise<void> {
    const downsync = [
      {
        statusCollectors: ['ready'],
        objectSelectors: [{ matchLabels: { name: 'nginx' } }],
        namespaces: [this.#stage.namespace],
      },
    ];
    await this.#stage.apply({
      apiVersion: STAGED_BINDING_POLICY.apiVersion,
      kind: STAGED_BINDING_POLICY.kind,
      metadata: { name: this.name },
      spec: { downsync, stages, ...this.#more },
    });
  }

  read(): Promise<StagedBindingPolicy | undefined> {
    return this.#stage.kubernetes.get(STAGED_BINDING_POLICY, { name: this.name });
  }

  async status(): Promise<StagedBindingPolicyStatus> {
    return (await this.read())?.status ?? {};
  }

  async edit(): Promise<string> {
    this.#more = this.#dice.pick(edits);
    await this.apply();
    return JSON.stringify(this.#more);
  }

  /** Takes back all edits. */
  async editBack(): Promise<void> {
    this.disturb();
    this.#more = {};
    await this.apply();
  }

  /** The clusters that have the workload, but for those that KubeStellar is only asked about. */
  readonly covered = (): ReadonlySet<string> => {
    const policies = [...this.placed].filter(([name]) => name !== `${this.name}--clusters`);
    return new Set(policies.flatMap(([, { spec }]) => selectedBy(spec.clusterSelectors)));
  };

  /** Learns of a BindingPolicy. */
  changed(type: 'add' | 'update' | 'delete', object: BindingPolicy): void {
    if (type === 'delete') this.placed.delete(object.metadata.name);
    else this.placed.set(object.metadata.name, object);
    const covered = this.covered();
    for (const [cluster, since] of this.#owed) {
      if (covered.has(cluster) || Date.now() < since + STEADY_MS) continue;
      this.#owed.delete(cluster);
      this.lost.push(`${this.name} took the workload from ${cluster}`);
      say(`${this.name} took the workload from ${cluster}`);
    }
  }

  /** Learns what has been passed: its clusters keep the workload from now on, unless stages are to be removed. */
  passed({ stages: marks = [] }: StagedBindingPolicyStatus): void {
    if (Date.now() < this.#quietUntil || 'stageRetention' in this.#more) return;
    const over = marks.filter(({ phase }) => phase === 'Passed' || phase === 'Fulfilled');
    const selectors = stages
      .filter(({ name }) => over.some((one) => one.name === name))
      .flatMap(({ clusterSelectors }) => clusterSelectors);
    const covered = this.covered();
    for (const cluster of selectedBy(selectors))
      if (covered.has(cluster) && !this.#owed.has(cluster)) this.#owed.set(cluster, Date.now());
  }
}
