import { setTimeout as wait } from 'node:timers/promises';
import { AWS_TARGET_GROUP_BINDING } from '../../../clients/kubernetes/kinds.ts';
import { bindingsOf, type AskedTarget, type Bindings } from '../../discovery/bindings.ts';
import type { Workload } from '../../discovery/workload.ts';
import type { Stage } from '../../support/stage/stage.ts';
import { until } from '../../support/until.ts';
import type { Dice } from '../common/dice.ts';
import { SoakedNodes, web } from './soaked-nodes.ts';
import { Wanted, type Want } from './wanted.ts';

const GROUPS = 3;
/** Someone else's, in each target group. */
const FOREIGN = { id: 'i-00000000000000099', port: 8080 };
/** How long a binding that is deleted may take until it comes again; one whose target group is in use stays. */
const GONE_MS = 5_000;

const nodes = { nodeSelector: { matchLabels: web } };
const ofAll = { name: 'all', clusterSelector: { matchLabels: web }, ...nodes };
const ofOne = { name: 'one', clusterName: 'soak1', ...nodes };

/** What bindings ask for. */
const asked: readonly (readonly AskedTarget[])[] = [
  [{ ...ofAll, port: 80 }],
  [{ ...ofOne, port: 80 }],
  [{ ...ofOne, name: 'two', clusterName: 'soak2', port: 80 }],
  [
    { ...ofOne, port: 80 },
    { name: 'fixed', ids: ['i-00000000000000077'], port: 80 },
  ],
  [{ ...ofAll, port: 81 }],
];

interface Spec {
  readonly arn: string;
  readonly targets: readonly AskedTarget[];
}

/** AWSTargetGroupBindings to which anything may happen, with the nodes and target groups that they are about. */
export class SoakedBindings {
  readonly nodes: SoakedNodes;
  readonly wanted = new Wanted(`${FOREIGN.id}:${FOREIGN.port}`);
  readonly #stage: Stage;
  readonly #dice: Dice;
  readonly #bindings: Bindings;
  readonly #specs = new Map<string, Spec>();
  readonly #rules = new Map<string, string>();
  /** The bindings that are being deleted: an edit of one of them asks for nothing. */
  readonly #going = new Set<string>();
  #asleep = 0;
  arns: readonly string[] = [];

  constructor(stage: Stage, dice: Dice, workloads: readonly Workload[]) {
    this.#stage = stage;
    this.#dice = dice;
    this.#bindings = bindingsOf(stage);
    this.nodes = new SoakedNodes(workloads, dice, () => this.#note());
  }

  /** Makes target groups, nodes, and bindings of these names. */
  async begin(names: readonly string[]): Promise<void> {
    for (let index = 0; index < GROUPS; index += 1)
      this.arns = [...this.arns, await this.#bindings.group(`g${index}`, 'instance', [FOREIGN.id])];
    for (let index = 0; index < 8; index += 1) await this.nodes.add();
    for (const name of names) await this.edit(name);
  }

  /** Other targets; a new binding gets a target group as well, and keeps it. */
  async edit(name: string): Promise<string> {
    if (this.#going.has(name)) return 'is going';
    const before = this.#specs.get(name);
    const arn = before?.arn ?? this.#dice.pick(this.arns);
    const targets =
      before === undefined || this.#dice.number() < 0.5 ? this.#dice.pick(asked) : before.targets;
    await this.#apply(name, { arn, targets });
    return `${arn.split('/')[1]} ${targets.map((one) => `${String(one['name'])}:${String(one['port'])}`).join(' ')}`;
  }

  async recreate(name: string): Promise<string> {
    this.#specs.delete(name);
    this.#going.add(name);
    this.#note();
    await this.#stage.delete(AWS_TARGET_GROUP_BINDING, name, { wait: false });
    const isGone = this.#bindings.untilGone(name).then(
      () => this.#going.delete(name),
      () => false,
    );
    return (await Promise.race([isGone, wait(GONE_MS, false)])) ? this.edit(name) : 'stays';
  }

  /** A rule begins to forward to a target group, or ceases. */
  async forward(arn: string): Promise<string> {
    const rule = this.#rules.get(arn);
    if (rule !== undefined) {
      await this.#stage.elbv2.deleteRule({ RuleArn: rule });
      this.#rules.delete(arn);
      return 'ceases';
    }
    const index = this.arns.indexOf(arn);
    const { Rules: [made] = [] } = await this.#stage.elbv2.createRule({
      ListenerArn: this.#stage.listenerARN,
      Priority: 100 + index,
      Conditions: [{ Field: 'host-header', Values: [`g${index}.example`] }],
      Actions: [{ Type: 'forward', TargetGroupArn: arn }],
    });
    this.#rules.set(arn, made?.RuleArn ?? '');
    return 'begins';
  }

  /** Someone takes a target out of a target group by hand. */
  async lose(arn: string): Promise<string> {
    const wanted = this.wanted.in(arn);
    if (wanted.length === 0) return 'none';
    const [Id = '', Port] = this.#dice.pick(wanted).split(':');
    const Targets = [{ Id, Port: Number(Port) }];
    await this.#stage.elbv2.deregisterTargets({ TargetGroupArn: arn, Targets });
    return Id;
  }

  /** Nothing holds anything any more, and each binding is there. */
  async mend(names: readonly string[]): Promise<void> {
    for (const arn of this.#rules.keys()) await this.forward(arn);
    await this.nodes.mend();
    for (const name of names) {
      // One that was being deleted may be gone only now.
      if (!this.#specs.has(name)) await this.#bindings.untilGone(name);
      this.#going.delete(name);
      await this.edit(name);
      await this.#start(name);
    }
  }

  /** Its run is lost; the watchers would start it again within minutes. */
  async terminate(name: string): Promise<void> {
    await this.#stage.desk.terminate(this.#workflowId(name));
    await this.#start(name);
  }

  /** Waits until each target group has what it should, and each binding says so. */
  async untilRight(names: readonly string[], timeoutMs: number): Promise<void> {
    const seen = async () => ({
      registered: await Promise.all(this.arns.map((arn) => this.#bindings.registered(arn))),
      statuses: await Promise.all(names.map((name) => this.#bindings.status(name))),
    });
    for (const arn of this.arns) {
      const want = [...this.wanted.in(arn), `${FOREIGN.id}:${FOREIGN.port}`].toSorted().join(' ');
      const has = async (): Promise<boolean> => (await this.#bindings.registered(arn)).join(' ') === want;
      await until(`${arn} to have ${want}`, has, { timeoutMs, seen });
    }
    for (const name of names) await this.#bindings.untilSynced(name);
  }

  /** Okra, or a server that it needs, does nothing for a while, or continues. */
  sleeps(isAsleep: boolean): void {
    this.#asleep += isAsleep ? 1 : -1;
    this.#note();
  }

  #start(name: string): Promise<void> {
    return this.#stage.signalWithStart('targetGroupBinding', this.#workflowId(name), 'changed', name);
  }

  #workflowId(name: string): string {
    return `target-group-binding/${this.#stage.namespace}/${name}`;
  }

  async #apply(name: string, spec: Spec): Promise<void> {
    this.#specs.set(name, spec);
    this.#note();
    await this.#bindings.apply(name, spec.arn, spec.targets);
  }

  #note(): void {
    const wants = [...this.#specs].map(([name, spec]) => [name, this.#wantOf(spec)] as const);
    const away = new Set(this.nodes.instancesIn().filter((one) => this.nodes.isAway(one)));
    const isAsleep = this.#asleep > 0;
    this.wanted.note(new Map(wants), (target) => isAsleep || away.has(target.split(':')[0] ?? ''));
  }

  #wantOf({ arn, targets }: Spec): Want {
    const wanted = targets.flatMap(({ ids, clusterName, port }) =>
      ((ids as readonly string[] | undefined) ?? this.nodes.instancesIn(clusterName)).map(
        (id) => `${id}:${String(port)}`,
      ),
    );
    return { arn, targets: new Set(wanted) };
  }
}
