import { setTimeout as wait } from 'node:timers/promises';
import { BINDING_POLICY } from '../../../clients/kubernetes/kinds.ts';
import { createLog } from '../../../clients/log.ts';
import { DEPLOYMENT, KubeStellar, type Workload } from '../../../local/kubestellar/kubestellar.ts';
import { runInformer } from '../../../watchers/informer/informer.ts';
import type { Stage } from '../../support/stage/stage.ts';
import { inventory } from './clusters.ts';
import type { BindingPolicy, SoakedPolicy } from './soaked-policy.ts';

const LOOK_MS = 300;

/** Plays KubeStellar and its clusters: binds each BindingPolicy, and reports of each cluster whether it is well. */
export class KubeStellarPlayer implements AsyncDisposable {
  /** Clusters in which the workload is not ready. */
  readonly sick = new Set<string>();
  /** Whether it does nothing. */
  isStalled = false;
  readonly #policies: readonly SoakedPolicy[];
  readonly #workload: Workload;
  readonly #kubestellar: KubeStellar;
  readonly #stop = new AbortController();
  readonly #ended: Promise<unknown>;

  constructor({ kubernetes, namespace }: Stage, policies: readonly SoakedPolicy[]) {
    this.#policies = policies;
    this.#workload = { kind: DEPLOYMENT, namespace, name: 'nginx' };
    this.#kubestellar = new KubeStellar(kubernetes);
    const informed = runInformer<BindingPolicy>({
      kubernetes,
      kind: BINDING_POLICY,
      log: createLog('silent'),
      signal: this.#stop.signal,
      onSynced: () => undefined,
      onEvent: ({ type, object }) => {
        const owners = (object.metadata.ownerReferences ?? []).map(({ name }) => name);
        policies.find(({ name }) => owners.includes(name))?.changed(type, object);
      },
    });
    this.#ended = Promise.all([informed, this.#play()]);
  }

  async #play(): Promise<void> {
    for (; !this.#stop.signal.aborted; await wait(LOOK_MS)) {
      if (this.isStalled) continue;
      // A BindingPolicy may be gone meanwhile, and the API server asleep.
      for (const policy of this.#policies) await this.#serve(policy).catch(() => undefined);
    }
  }

  async #serve(policy: SoakedPolicy): Promise<void> {
    for (const name of policy.placed.keys()) {
      const clusters = await this.#kubestellar.select(name, [this.#workload], inventory);
      const floats = Object.fromEntries(clusters.map((one) => [one, this.sick.has(one) ? '0' : '1']));
      await this.#kubestellar.report(name, this.#workload, { collector: 'ready', clusters, floats });
    }
    policy.passed(await policy.status());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }
}
