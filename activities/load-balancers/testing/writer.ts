import { asyncLocalStorage, type Context } from '@temporalio/activity';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import { unlimited, type RateLimiter } from '../../../clients/rate-limiter.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { Forwarding, ObservedForwarding } from '../../../domain/load-balancers/load-balancer.ts';
import type { LoadBalancerConfigView } from '../../../domain/load-balancers/load-balancer-config.ts';
import type { ObjectKey } from '../../../domain/model/ids.ts';
import { kubernetesWith } from '../../../test/examples/route-53/kept-objects.ts';
import { configWriter, type AttemptOptions, type ConfigWriter } from '../config-writer.ts';

/** The object that is written for. */
export const key = { namespace: 'default', name: 'web' };

/** Runs as an activity that nobody cancels, and whose waits are over at once. */
export const asActivity = <Value>(run: () => Promise<Value>, info: object = {}): Promise<Value> => {
  const { signal: cancellationSignal } = new AbortController();
  const context = {
    info,
    cancellationSignal,
    sleep: () => Promise.resolve(),
    heartbeat: () => undefined,
  };
  return asyncLocalStorage.run(context as unknown as Context, run);
};

/** An object that asks for something, of which something may be served. */
export const asking = (
  desired: Forwarding,
  observed?: ObservedForwarding,
  of: ObjectKey = key,
): LoadBalancerConfigView => ({
  key: of,
  uid: 'uid',
  generation: 1,
  desired,
  status: observed === undefined ? {} : { observed },
  adopt: false,
  deletion: { policy: 'Retain', isHeld: false, isUnderWay: false },
});

/** An attempt that takes traffic back. */
export const urgently = (more: Partial<AttemptOptions> = {}): AttemptOptions => ({
  urgent: true,
  verify: false,
  signal: new AbortController().signal,
  ...more,
});

/** Makes the writer of objects, and the API that has them. */
export function writerFor(
  elbv2: ELBv2,
  configs: readonly LoadBalancerConfigView[],
  writes: RateLimiter = unlimited,
): { readonly writer: ConfigWriter; readonly kubernetes: KubernetesClient } {
  const { kubernetes } = kubernetesWith(
    ...configs.map(({ key: of, generation, desired }) => ({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: `${desired.type}Config`,
      metadata: { ...of, generation },
    })),
  );
  const installation = () => Promise.resolve('here');
  const writer = configWriter({ kubernetes, elbv2: () => elbv2, installation, writes });
  return { writer, kubernetes };
}
