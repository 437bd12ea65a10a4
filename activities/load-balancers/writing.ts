import type { WeightChange } from '../../domain/gates/health.ts';
import { refuseWhenGivenUp } from '../heartbeat.ts';
import type { Writing } from './port.ts';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import { untilGivenUp } from '../../clients/concurrency.ts';

/** Lets a write be sent only once ELBv2 can be called at once: what was allowed may be refused by the time that credentials are there. */
export const onceReady = (elbv2: Pick<ELBv2, 'ready'>, writing: Writing): Writing => ({
  ...writing,
  permit: async (weights) => {
    await untilGivenUp(elbv2.ready(), writing.signal);
    await writing.permit(weights);
  },
});

/** What the writes of an attempt need. */
export interface WritingDependencies {
  readonly signal: AbortSignal;
  /** Whether the first write has its token already. */
  readonly hasToken: boolean;
  /** Waits for a token of the rate limit; what has sent something goes before what has not. */
  readonly take: (options: { readonly hasSent: boolean }) => Promise<void>;
  /** Throws when the object asks for something else by now. */
  readonly refuseOutdated: () => Promise<void>;
  /** Throws when a change of weights would leave all traffic without a healthy target. */
  readonly refuseStranding: (weights: WeightChange) => Promise<void>;
  /** Slows down the writes of this process after a refusal by throttling. */
  readonly onRefusal: (refusal: unknown) => void;
}

/** Makes the writes of one attempt, each with a token of the rate limit. */
export function writingOf(dependencies: WritingDependencies): Writing {
  const { signal, take, onRefusal, refuseOutdated, refuseStranding } = dependencies;
  let { hasToken } = dependencies;
  let hasSent = false;

  async function turn(): Promise<void> {
    if (!hasToken) await take({ hasSent });
    hasToken = true;
  }

  return {
    signal,
    turn,
    onRefusal,
    permit: async (weights) => {
      await turn();
      if (weights !== undefined) await refuseStranding(weights);
      signal.throwIfAborted();
      await refuseOutdated();
      signal.throwIfAborted();
      // Last, since the process may have been stopped while it waited for an answer that is old by now.
      refuseWhenGivenUp();
      [hasToken, hasSent] = [false, true];
    },
  };
}
