import { NodeHttpHandler } from '@smithy/node-http-handler';
import { limitRate, type CallRate } from '../rate-limiter.ts';

/** Waits until one more read of a region may be sent. Rejects with the reason of the signal. */
export type ReadPace = (region: string, signal: AbortSignal) => Promise<void>;

/** What a read is for: what takes traffic back reads first, then rollouts, and then what nobody's traffic waits for. */
export type ReadPriority = 'Urgent' | 'Usual' | 'Background';

/** Makes the pace of reads of this process; what nobody's traffic waits for takes half of it at most. */
export function readPace(rate: CallRate, priorityOf: () => ReadPriority, clock?: () => number): ReadPace {
  const all = limitRate(rate, clock);
  const background = limitRate(halfOf(rate), clock);
  return async (region, signal) => {
    const priority = priorityOf();
    if (priority === 'Background') await background.wait(region, { urgent: false, signal });
    await all.wait(region, { urgent: priority === 'Urgent', signal });
  };
}

/** No more than half of the pace, so that a burst is left to rollouts that come later. */
const halfOf = ({ perSecond, burst }: CallRate): CallRate => ({
  perSecond: perSecond / 2,
  burst: Math.max(1, Math.floor(burst / 2)),
});

/** Sends each request, the repeated ones of the SDK as well, when a pace lets it. */
export class PacedHandler extends NodeHttpHandler {
  readonly #wait: (signal: AbortSignal) => Promise<void>;

  constructor(
    options: ConstructorParameters<typeof NodeHttpHandler>[0],
    wait: (signal: AbortSignal) => Promise<void>,
  ) {
    super(options);
    this.#wait = wait;
  }

  override async handle(
    ...[request, options]: Parameters<NodeHttpHandler['handle']>
  ): ReturnType<NodeHttpHandler['handle']> {
    const signal = options?.abortSignal instanceof AbortSignal ? options.abortSignal : NEVER;
    try {
      await this.#wait(signal);
    } catch (error) {
      // As the SDK calls it, so that nobody takes it for an answer, or tries again.
      if (signal.aborted) throw Object.assign(new Error('Request aborted'), { name: 'AbortError' });
      throw error;
    }
    return await super.handle(request, options);
  }
}

const NEVER = new AbortController().signal;
