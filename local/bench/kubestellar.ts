import { BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { createLog } from '../../clients/log.ts';
import type { BindingPolicy } from '../../domain/staged/policy.ts';
import { runInformer } from '../../watchers/informer/informer.ts';
import { KubeStellar, type Workload } from '../kubestellar/kubestellar.ts';

/** KubeStellar and its clusters: binds each BindingPolicy that comes, and reports that all is well. */
export function playKubeStellar(
  kubernetes: KubernetesClient,
  web: Workload,
  stopped: AbortSignal,
): AsyncDisposable & { readonly requests: ReadonlyMap<string, number> } {
  const stop = new AbortController();
  const requests = new Map<string, number>();
  const kubestellar = new KubeStellar(counted(kubernetes, requests));
  const left: string[] = [];
  let working = 0;
  const work = async (): Promise<void> => {
    if (working >= MOST_AT_ONCE) return;
    working += 1;
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const clusters = [`${name.slice(name.lastIndexOf('-') + 1)}c`];
      await kubestellar.bind(name, [web], clusters);
      await kubestellar.report(name, web, { clusters });
    }
    working -= 1;
  };
  const ended = runInformer<BindingPolicy & { metadata: { resourceVersion: string } }>({
    kubernetes,
    kind: BINDING_POLICY,
    log: createLog('silent'),
    signal: AbortSignal.any([stopped, stop.signal]),
    onSynced: () => undefined,
    onEvent: ({ type, object }) => {
      if (type !== 'add') return;
      left.push(object.metadata.name);
      void work();
    },
  });
  return {
    requests,
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await ended;
    },
  };
}

const MOST_AT_ONCE = 8;

/** Counts the requests that a client makes, by verb and kind, as the API server does. */
function counted(client: KubernetesClient, requests: Map<string, number>): KubernetesClient {
  const count = (verb: string, plural: string, subresource = ''): void => {
    const key = `${verb} ${plural}${subresource === '' ? '' : `/${subresource}`}`;
    requests.set(key, (requests.get(key) ?? 0) + 1);
  };
  const plurals: Readonly<Record<string, string>> = {
    Binding: 'bindings',
    CombinedStatus: 'combinedstatuses',
  };
  return {
    ...client,
    get: (kind, key, options) => {
      count('GET', kind.plural);
      return client.get(kind, key, options);
    },
    apply: (object, options) => {
      count('APPLY', plurals[object.kind] ?? object.kind);
      return client.apply(object, options);
    },
    patch: (kind, key, patch, options) => {
      count('PATCH', kind.plural, options?.subresource);
      return client.patch(kind, key, patch, options);
    },
  };
}
