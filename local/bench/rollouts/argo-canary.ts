import { callKubernetes, type KubernetesAccess } from '../../kubernetes.ts';
import { waitFor } from '../../wait.ts';
import { upTo } from '../each.ts';

const API_VERSION = 'argoproj.io/v1alpha1';
const namespace = 'default';
const name = 'bench-canary';
const all = `/apis/${API_VERSION}/namespaces/${namespace}/rollouts`;
const path = `${all}/${name}`;

interface Status {
  readonly phase?: string;
  readonly stableRS?: string;
  readonly currentPodHash?: string;
}

/** A canary of Argo Rollouts of ten pods in ten steps, without a traffic router, and without pauses. */
export interface ArgoCanary extends AsyncDisposable {
  /** Rolls out another image; answers with the seconds that it took. */
  roll(image: string): Promise<number>;
}

/** Makes the Rollout, and waits until its first version runs. */
export async function argoCanary(kubernetes: KubernetesAccess, signal: AbortSignal): Promise<ArgoCanary> {
  const send = (method: string, to: string, body?: object): Promise<string> =>
    callKubernetes(kubernetes, {
      method,
      path: to,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}),
    });
  const status = async (): Promise<Status> => {
    const found: { readonly status?: Status } = JSON.parse(await send('GET', path));
    return found.status ?? {};
  };
  const healthy = (before: string | undefined): Promise<true> =>
    waitFor({ what: 'the Rollout to be Healthy', timeoutMillis: 120_000, signal }, async () => {
      const { stableRS, currentPodHash, phase } = await status();
      const isOver = stableRS !== undefined && stableRS === currentPodHash && stableRS !== before;
      return isOver && phase === 'Healthy' ? true : undefined;
    });
  await send('POST', all, rollout('nginx:1'));
  await healthy(undefined);
  return {
    roll: async (image) => {
      const { stableRS } = await status();
      const began = performance.now();
      await send('PATCH', path, { spec: { template: { spec: { containers: [{ name: 'web', image }] } } } });
      await healthy(stableRS);
      return (performance.now() - began) / 1000;
    },
    [Symbol.asyncDispose]: async () => void (await send('DELETE', path)),
  };
}

const rollout = (image: string) => ({
  apiVersion: API_VERSION,
  kind: 'Rollout',
  metadata: { namespace, name },
  spec: {
    replicas: 10,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'web', image }] },
    },
    strategy: { canary: { steps: upTo(10).map((index) => ({ setWeight: 10 * (index + 1) })) } },
  },
});
