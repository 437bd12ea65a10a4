import type { KindRef } from '../../../clients/kubernetes/kinds.ts';
import { callKubernetes } from '../../kubernetes.ts';
import { watchObjects } from '../../watched.ts';
import { upTo } from '../each.ts';
import type { Ground } from '../world.ts';

const ROLLOUT: KindRef = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  plural: 'rollouts',
  namespaced: true,
};
const namespace = 'default';
const name = 'bench-canary';
const all = `/apis/${ROLLOUT.apiVersion}/namespaces/${namespace}/${ROLLOUT.plural}`;
const path = `${all}/${name}`;

interface Rollout {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly phase?: string;
    readonly stableRS?: string;
    readonly currentPodHash?: string;
  };
}

/** A canary of Argo Rollouts of ten pods in ten steps, without a traffic router, and without pauses. */
export interface ArgoCanary extends AsyncDisposable {
  /** Rolls out another image; answers with the seconds that it took. */
  roll(image: string): Promise<number>;
}

/** Makes the Rollout, and waits until its first version runs. */
export async function argoCanary({
  stack,
  management: kubernetes,
  signal,
}: Pick<Ground, 'stack' | 'management' | 'signal'>): Promise<ArgoCanary> {
  const send = (method: string, to: string, body?: object): Promise<string> =>
    callKubernetes(stack.kubernetes, {
      method,
      path: to,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(method === 'PATCH' ? { contentType: 'application/merge-patch+json' } : {}),
    });
  await using undo = new AsyncDisposableStack();
  const clock = (): number => performance.now();
  const watched = undo.use(watchObjects<Rollout>({ kubernetes, kind: ROLLOUT, namespace, signal, clock }));
  const status = (): NonNullable<Rollout['status']> => watched.objects.get(name)?.status ?? {};
  const healthy = (before: string | undefined): Promise<number> =>
    watched.until(
      () => {
        const { stableRS, currentPodHash, phase } = status();
        const isOver = stableRS !== undefined && stableRS === currentPodHash && stableRS !== before;
        return isOver && phase === 'Healthy';
      },
      () => `Expected the Rollout to be Healthy, got ${JSON.stringify(status())}.`,
    );
  await send('POST', all, rollout('nginx:1'));
  undo.defer(async () => void (await send('DELETE', path)));
  await healthy(undefined);
  const end = undo.move();
  return {
    roll: async (image) => {
      const { stableRS } = status();
      const began = clock();
      await send('PATCH', path, { spec: { template: { spec: { containers: [{ name: 'web', image }] } } } });
      return ((await healthy(stableRS)) - began) / 1000;
    },
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  };
}

const rollout = (image: string) => ({
  apiVersion: ROLLOUT.apiVersion,
  kind: ROLLOUT.kind,
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
