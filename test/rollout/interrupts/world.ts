import { digest } from '../../../clients/digest.ts';
import type { CellSpec, CellStatus } from '../../../crds/cell.ts';
import { cellStatus } from '../../../crds/cell-status.ts';
import type { AnalysisPhase, AnalysisVerdict } from '../../../domain/rollout/measure/analysis.ts';
import type { Freezing } from '../../../domain/gates/freeze.ts';
import { formatKey, type ObjectKey } from '../../../domain/model/ids.ts';
import { VERSION_LABEL } from '../../../domain/kubernetes/labels.ts';
import {
  routeOf,
  targetGroupsOf,
  withTargetGroups,
  type Forwarding,
  type ObservedForwarding,
} from '../../../domain/load-balancers/load-balancer.ts';
import type { ObservedCell } from '../../../domain/model/observation.ts';
import type { WeightedTargetGroup } from '../../../domain/model/target-group.ts';
import type { CellReport } from '../../../domain/rollout/report/events.ts';
import type { LostRun } from '../../../domain/model/state.ts';
import { selectTargetGroups, watchedInput } from '../../../domain/versions/watched.ts';
import { aCell } from '../../../domain/testing/builders.ts';
import { Troubles, type Passing } from './troubles.ts';

/** A Cell's configuration object. */
export interface Config {
  readonly asked: Forwarding;
  readonly generation: number;
  readonly sequence: number;
  readonly observedGeneration: number;
  readonly phase: 'Updated' | 'Error';
  readonly served: ObservedForwarding;
}

/** One call that changes the weights of the rule, as it was sent. */
export interface Sent {
  readonly before: readonly WeightedTargetGroup[];
  readonly after: readonly WeightedTargetGroup[];
  readonly isApplied: boolean;
  /** Which activity has sent it. */
  readonly by: Pick<Passing, 'runId' | 'activityId'>;
}

const versions = { a: '1.0.0', b: '2.0.0', c: '3.0.0' } as const;

/** A target group of a version of its own: the one that serves, the one that comes, and the one that supersedes it. */
export type GroupName = keyof typeof versions;

/**
 * All that the workflow of one Cell meets, in memory: the API server with the Cell, its configuration and what measures,
 * and ELBv2 with its rule. It begins with 1.0.0 in service.
 */
export class World {
  readonly key: ObjectKey;
  readonly troubles = new Troubles();
  spec: CellSpec;
  generation = 1;
  status: CellStatus;
  groups: readonly GroupName[] = ['a'];
  freezes: readonly Freezing[] = [];
  isDeleted = false;
  config: Config | undefined;
  /** What ELBv2 serves. */
  served: readonly WeightedTargetGroup[] = [];
  /** The changes of weights that were sent to ELBv2, applied or not. */
  readonly sent: Sent[] = [];
  readonly unhealthy = new Set<GroupName>();
  readonly runs = new Map<string, AnalysisVerdict>();
  /** The phase of what measures when it is started. */
  measures: AnalysisPhase = 'Running';
  lostRun: LostRun = { is: 'Unknown' };
  /** How often the Cell was looked at, in vain or not. */
  looks = 0;

  constructor(namespace: string, spec: Partial<CellSpec>) {
    this.key = { namespace, name: 'web' };
    // Only what is about settling waits for the data plane.
    const built = aCell()
      .withSpec({ settle: '0s', ...spec })
      .seen().cell;
    if (built === undefined) throw new Error('Expected the builder to make a Cell, got none.');
    this.spec = built.spec;
    this.serve([{ ...this.group('a'), weight: 100 }]);
    this.status = {
      phase: 'Completed',
      stableVersion: versions.a,
      targetGroups: [{ ...this.group('a'), version: versions.a, role: 'Stable', weight: 100 }],
    };
    this.status = { ...this.status, observedHash: this.#digest() };
  }

  /** A target group by the name of its AWSTargetGroup. */
  group(name: GroupName): { readonly name: string; readonly arn: string } {
    return { name, arn: arnOf(this.key.namespace, name) };
  }

  /** What a rule with these weights forwards to. */
  forwarding(targetGroups: readonly WeightedTargetGroup[]): Forwarding {
    const route = routeOf(this.spec);
    if (route === undefined) throw new Error('Expected a listener rule, got none.');
    return withTargetGroups(route, targetGroups);
  }

  /** Lets ELBv2 serve weights, and the configuration say so. */
  serve(weights: readonly WeightedTargetGroup[]): void {
    this.served = weights;
    const served = this.forwarding(weights);
    const { generation = 0, sequence = 0 } = this.config ?? {};
    const applied = {
      generation: generation + 1,
      observedGeneration: generation + 1,
      phase: 'Updated',
    } as const;
    this.config = { asked: served, served, ...applied, sequence: sequence + 1 };
  }

  /** What ELBv2 gives a version. */
  weight(name: GroupName, served = this.served): number {
    return served.find(({ arn }) => arn === this.group(name).arn)?.weight ?? 0;
  }

  /** Changes the Cell's spec, as `kubectl apply` does. */
  edit(change: (spec: CellSpec) => CellSpec): void {
    this.spec = change(this.spec);
    this.generation += 1;
  }

  /** Deletes the Cell; its configuration goes with it. */
  delete(): void {
    this.isDeleted = true;
    this.config = undefined;
  }

  /** Whether the last status is about all that a watcher compares. */
  get isSeen(): boolean {
    return this.isDeleted || this.status.observedHash === this.#digest();
  }

  /** The Cell as a look at the API server shows it (activities/rollout/cell.ts). */
  observe(): ObservedCell {
    const { key, config } = this;
    if (this.isDeleted)
      return { key, digest: '', selected: [], freezes: [], weighted: [], sequence: 0, isApplied: true };
    const { generation, spec, status } = this;
    return {
      key,
      cell: { uid: `uid-${formatKey(key)}`, generation, spec, status, problems: [], adopt: false },
      digest: this.#digest(),
      selected: selectTargetGroups(spec, this.#objects()),
      freezes: this.freezes,
      weighted: config === undefined ? [] : targetGroupsOf(config.served),
      ...(config === undefined ? {} : { observedForwarding: config.served, configType: config.asked.type }),
      deletion: { policy: 'Retain', isHeld: false, isUnderWay: false },
      sequence: config?.sequence ?? 0,
      isApplied:
        config === undefined || (config.observedGeneration === config.generation && config.phase !== 'Error'),
    };
  }

  /** Takes a status as the API server does: what its schema does not allow is refused, and a Cell that is gone has none. */
  report({ status }: CellReport): void {
    cellStatus.strict().parse(status);
    if (!this.isDeleted) this.status = JSON.parse(JSON.stringify(status)) as CellStatus;
  }

  /** Starts something that measures, or finds it under its name. */
  start(name: string): AnalysisVerdict {
    const found = this.runs.get(name) ?? { name, phase: this.measures, message: '' };
    this.runs.set(name, found);
    return found;
  }

  /** Reads something that measures. */
  read(name: string): AnalysisVerdict {
    return this.runs.get(name) ?? { name, phase: 'Error', message: 'It is gone.' };
  }

  /** Ends something that measures, and says how far it had come. */
  end(name: string): AnalysisVerdict {
    const found = this.read(name);
    if (found.phase === 'Running') this.runs.set(name, { ...found, phase: 'Successful' });
    return found;
  }

  #objects() {
    return this.groups.map((name) => ({
      metadata: { name, labels: { role: 'web', [VERSION_LABEL]: versions[name] } },
      spec: { arn: this.group(name).arn },
    }));
  }

  #digest(): string {
    return digest(watchedInput({ metadata: {}, spec: this.spec, status: this.status }, this.#objects()));
  }
}

const ARN = 'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:targetgroup/';

const arnOf = (namespace: string, name: string): string => `${ARN}${namespace}.${name}/1`;

/** The namespace of the world that has a target group. */
export const namespaceOf = (arn: string): string => arn.slice(ARN.length).split('.')[0] ?? '';
