import { condition, setHandler } from '@temporalio/workflow';
import type { ObjectKey } from '../domain/model/ids.ts';
import type { LoadBalancerType } from '../domain/load-balancers/load-balancer.ts';
import { configs, inShort } from './activities.ts';
import { failureOf } from './failure.ts';
import { changed, drifted } from './messages.ts';
import { goOn, isDue } from './renewal.ts';

/** Which object to apply. */
export interface LoadBalancerConfigInput {
  readonly key: ObjectKey;
  /** Default: AWSApplicationLoadBalancer. */
  readonly type?: LoadBalancerType;
  /** Whether an earlier run has left off without knowing what ELBv2 serves. */
  readonly verify?: boolean;
}

/** The longest time between two attempts, in milliseconds. */
const LONGEST_BACKOFF_MS = { transient: 15_000, permanent: 10 * 60_000 } as const;

/** Makes a load balancer what an object without a Cell says, as the only writer of that configuration, until there is nothing left to apply. */
export async function loadBalancerConfig(input: LoadBalancerConfigInput): Promise<void> {
  const ref = { type: input.type ?? 'AWSApplicationLoadBalancer', key: input.key } as const;
  let wakes = 0;
  let verify = input.verify === true;
  setHandler(changed, () => void (wakes += 1), { description: 'Looks at the object again.' });
  const onDrift = (): void => {
    verify = true;
    wakes += 1;
  };
  setHandler(drifted, onDrift, {
    description: 'Reads the load balancer again, because it does not serve what was applied.',
  });

  for (let failures = 0; ;) {
    const seen = wakes;
    try {
      await configs('Make the load balancer what the object says').applyLoadBalancer({ ref, verify });
      failures = 0;
      verify &&= wakes !== seen;
      if (wakes === seen) return;
    } catch (error) {
      const { permanent, message } = failureOf(error);
      failures += 1;
      // Nobody knows whether it was applied all the same.
      verify = true;
      const longest = LONGEST_BACKOFF_MS[permanent ? 'permanent' : 'transient'];
      await condition(() => wakes !== seen, Math.min(longest, 500 * 2 ** Math.min(failures - 1, 20)), {
        summary: inShort(`Trying again: ${message}`),
      });
    }
    if (isDue()) await goOn<typeof loadBalancerConfig>({ ...input, verify });
  }
}
