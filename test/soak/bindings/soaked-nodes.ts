import type { Workload } from '../../discovery/workload.ts';
import type { Dice } from '../common/dice.ts';

/** What all nodes of the soak are labelled with, and their clusters. */
export const web = { role: 'web' };

interface Node {
  readonly name: string;
  readonly workload: Workload;
  readonly instance: string;
}

/** The nodes of some clusters, as they come and go. */
export class SoakedNodes {
  readonly workloads: readonly Workload[];
  readonly #dice: Dice;
  /** Called when what there is changes, before it does. */
  readonly #changing: () => void;
  readonly #away = new Set<Workload>();
  #nodes: readonly Node[] = [];
  #made = 0;

  constructor(workloads: readonly Workload[], dice: Dice, changing: () => void) {
    this.workloads = workloads;
    this.#dice = dice;
    this.#changing = changing;
  }

  /** The instances that are to be registered, of one cluster or of all. */
  instancesIn(cluster?: unknown): readonly string[] {
    return this.#nodes
      .filter(({ workload }) => cluster === undefined || cluster === workload.name)
      .map(({ instance }) => instance);
  }

  /** A node comes; one that has never been ready is not registered. */
  async add(isReady = true): Promise<string> {
    const workload = this.#dice.pick(this.workloads);
    this.#made += 1;
    const [name, instance] = [`node-${this.#made}`, `i-${String(1000 + this.#made).padStart(17, '0')}`];
    await workload.addNode(name, instance, { labels: web, isReady });
    if (isReady) this.#change([...this.#nodes, { name, workload, instance }]);
    return name;
  }

  async remove(): Promise<string> {
    const node = this.#dice.pick(this.#nodes);
    if (this.#away.has(node.workload)) return 'none';
    this.#change(this.#nodes.filter((one) => one !== node));
    await node.workload.removeNode(node.name);
    return node.name;
  }

  /** What was registered while it was ready stays. */
  async setReady(isReady: boolean): Promise<string> {
    const { name, workload } = this.#dice.pick(this.#nodes);
    await workload.setReady(name, isReady);
    return `${name} ${isReady}`;
  }

  /** Whether the cluster of an instance is away. */
  isAway(instance: string): boolean {
    return this.#nodes.some((one) => one.instance === instance && this.#away.has(one.workload));
  }

  /** The API server of a cluster is killed, or starts again. Its nodes stay registered meanwhile. */
  async toggleCluster(): Promise<string> {
    const workload = this.#dice.pick(this.workloads);
    if (this.#away.has(workload)) {
      await workload.cluster.start();
      this.#away.delete(workload);
    } else {
      this.#away.add(workload);
      await workload.cluster.kill('SIGKILL');
    }
    this.#changing();
    return `${workload.name} ${this.#away.has(workload) ? 'goes' : 'comes'}`;
  }

  /** All clusters and nodes are well. */
  async mend(): Promise<void> {
    for (const { cluster } of this.#away) await cluster.start();
    this.#away.clear();
    for (const { name, workload } of this.#nodes) await workload.setReady(name, true);
  }

  #change(nodes: readonly Node[]): void {
    this.#nodes = nodes;
    this.#changing();
  }
}
