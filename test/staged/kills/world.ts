import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { StagedActivities } from '../../../activities/contract.ts';
import { stagedActivities } from '../../../activities/staged/staged.ts';
import { MemoryKubernetes } from '../../../activities/staged/testing/memory.ts';
import { BINDING_POLICY, STAGED_BINDING_POLICY } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { RemoteClusters } from '../../../clients/kubernetes/remote-clusters.ts';
import type { StagedBindingPolicy } from '../../../crds/staged-binding-policy.ts';
import { readNarrowing, type BindingPolicy } from '../../../domain/staged/policy.ts';
import { DEPLOYMENT, KubeStellar } from '../../../local/kubestellar/kubestellar.ts';
import { nginx } from '../../support/samples/staged.ts';

/** When the process of an activity dies: before it has done anything, after it has, or before, and its work is done much later all the same. */
export type Death = 'before' | 'after' | 'late';

/** Which activity of a run dies, and when. */
export interface Kill {
  readonly at: number;
  readonly death: Death;
}

const [dev, prod] = nginx.stages;
const web = { kind: DEPLOYMENT, namespace: 'nginx', name: 'nginx' };
const inventory = ['d1', 'd2', 'p1'].map((name) => ({
  name,
  labels: { env: name.startsWith('d') ? 'dev' : 'prod', name },
}));

// As many activities later the work of a process that was taken for dead is done.
const LATER = 4;

/** A StagedBindingPolicy of two stages, of which the first reaches two clusters one after the other, with KubeStellar's side in memory. */
export class World {
  readonly name: string;
  /** The activities that were begun, in their order. */
  readonly begun: string[] = [];
  readonly made: string[] = [];
  readonly deleted: string[] = [];
  /** What was taken from clusters though nothing asked for it. */
  readonly taken: string[] = [];
  readonly activities: StagedActivities;
  readonly #memory = new MemoryKubernetes();
  readonly #kubernetes: KubernetesClient;
  readonly #kubestellar: KubeStellar;
  readonly #kill: Kill | undefined;
  readonly #reached = new Map<string, readonly string[]>();
  #late: { readonly after: number; readonly work: () => Promise<unknown> } | undefined;

  constructor(name: string, temporal: Client, kill?: Kill) {
    this.name = name;
    this.#kill = kill;
    this.#kubernetes = this.#watched(this.#memory.client);
    this.#kubestellar = new KubeStellar(this.#kubernetes);
    const own = stagedActivities({
      kubernetes: this.#kubernetes,
      clusters: {} as RemoteClusters,
      temporal,
    });
    this.activities = {
      observeStaged: (look) => this.#perform('observeStaged', () => own.observeStaged(look)),
      applyStage: (change) => this.#perform('applyStage', () => own.applyStage(change)),
      selectClusters: (ref) => this.#perform('selectClusters', () => own.selectClusters(ref)),
      removeStage: (request) => this.#perform('removeStage', () => own.removeStage(request)),
      releaseStaged: (released) => this.#perform('releaseStaged', () => own.releaseStaged(released)),
      reportStaged: (report) => this.#perform('reportStaged', () => own.reportStaged(report)),
    };
  }

  /** Makes the StagedBindingPolicy and its workload. */
  async prepare(): Promise<void> {
    const { apiVersion, kind } = STAGED_BINDING_POLICY;
    const stages = [
      { ...dev, progressive: { maxConcurrency: 1 } },
      { ...prod, filter: dev.filter, condition: dev.condition },
    ];
    const object = { apiVersion, kind, metadata: { name: this.name }, spec: { ...nginx, stages } };
    await this.#memory.client.apply(object);
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'nginx', name: 'nginx' },
    };
    await this.#memory.client.apply(deployment);
  }

  /** What its status says. */
  async status(): Promise<NonNullable<StagedBindingPolicy['status']>> {
    const found = await this.#kubernetes.get<StagedBindingPolicy>(STAGED_BINDING_POLICY, { name: this.name });
    return found?.status ?? {};
  }

  /** The names of the BindingPolicies that there are. */
  async placed(): Promise<readonly string[]> {
    const found = await this.#kubernetes.list<BindingPolicy>(BINDING_POLICY);
    return found.map(({ metadata }) => metadata.name).toSorted();
  }

  /** Whether the work that comes late is done. */
  get isCalm(): boolean {
    return this.#late === undefined;
  }

  /** Deletes the StagedBindingPolicy, which ends its workflow. */
  async end(): Promise<void> {
    await this.#memory.client.delete(STAGED_BINDING_POLICY, { name: this.name });
  }

  async #perform<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.begun.push(name);
    const index = this.begun.length;
    if (this.#late !== undefined && index >= this.#late.after) {
      const { work: overdue } = this.#late;
      this.#late = undefined;
      await overdue().catch(() => undefined);
      await this.#play();
    }
    if (this.#kill?.at === index) {
      if (this.#kill.death === 'after') await work().then(() => this.#play());
      if (this.#kill.death === 'late') this.#late = { after: index + LATER, work };
      return await dead();
    }
    const answer = await work();
    await this.#play();
    return answer;
  }

  /** KubeStellar and its clusters do at once what there is to do. */
  async #play(): Promise<void> {
    for (const policy of await this.#kubernetes.list<BindingPolicy>(BINDING_POLICY)) {
      const { name, uid = '' } = policy.metadata;
      const clusters = await this.#kubestellar.select(name, [web], inventory);
      const before = this.#reached.get(uid) ?? [];
      this.taken.push(...before.filter((one) => !clusters.includes(one)).map((one) => `${one} of ${name}`));
      this.#reached.set(uid, clusters);
      const isSelection = name.endsWith('--clusters');
      const isFew = readNarrowing(policy) !== undefined || name.endsWith('-dev');
      const floats = Object.fromEntries(clusters.map((cluster) => [cluster, '1']));
      if (!isSelection) {
        await this.#kubestellar.report(name, web, { clusters, ...(isFew ? { floats } : {}) });
      }
    }
  }

  /** Counts the BindingPolicies that are made and deleted. */
  #watched(client: KubernetesClient): KubernetesClient {
    const create: KubernetesClient['create'] = async (object) => {
      const made = await client.create(object);
      if (object.kind === BINDING_POLICY.kind) this.made.push(object.metadata.name);
      return made;
    };
    const remove: KubernetesClient['delete'] = async (kind, key, options) => {
      const before = await client.get(kind, key);
      await client.delete(kind, key, options);
      const isGone = before !== undefined && (await client.get(kind, key)) === undefined;
      if (kind === BINDING_POLICY && isGone) this.deleted.push(key.name);
    };
    return { ...client, create, delete: remove };
  }
}

/** What a process does that was killed: nothing any more; its heartbeat has stopped as well. */
async function dead(): Promise<never> {
  return await Context.current().cancelled;
}
