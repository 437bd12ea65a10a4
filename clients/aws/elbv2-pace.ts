import { NodeHttpHandler } from '@smithy/node-http-handler';
import { spacingOf, type WriteRate } from '../../domain/load-balancers/budget.ts';
import { sleep } from '../backoff.ts';
import { budgetInMemory, takeInPlace } from './shared-budget.ts';

/** Waits until one more read of a region may be sent. Rejects with the reason of the signal. */
export type ReadPace = (region: string, signal: AbortSignal) => Promise<void>;

/** What a read is for: what takes traffic back reads first, then rollouts, and then what nobody's traffic waits for. */
export type ReadPriority = 'Urgent' | 'Usual' | 'Background';

/** How many reads of others what nobody's traffic waits for lets go first at the most; it has to get on as well. */
const MOST_BEFORE = 20;

/** Makes the pace of reads, which is that of one process: a count that all share would cost a write to the API server for each read. */
export function readPace(rate: WriteRate, priorityOf: () => ReadPriority, clock?: () => number): ReadPace {
  const budget = budgetInMemory(rate, clock);
  const background = budgetInMemory(halfOf(rate), clock);
  /** How many wait for whom a background read lets go first, by region. */
  const waiting = new Map<string, number>();
  const count = (region: string, by: number): void =>
    void waiting.set(region, (waiting.get(region) ?? 0) + by);

  async function letOthersRead(region: string, signal: AbortSignal): Promise<void> {
    await takeInPlace(background, region, { urgent: false }, signal);
    const spacing = spacingOf(rate);
    for (let before = 0; before < MOST_BEFORE && (waiting.get(region) ?? 0) > 0; before += 1)
      await sleep(spacing, signal);
  }

  return async (region, signal) => {
    const priority = priorityOf();
    if (priority === 'Background') {
      await letOthersRead(region, signal);
      return await takeInPlace(budget, region, { urgent: false }, signal);
    }
    count(region, 1);
    try {
      await takeInPlace(budget, region, { urgent: priority === 'Urgent' }, signal);
    } finally {
      count(region, -1);
    }
  };
}

/** No more than half of the pace, so that a burst is left to rollouts that come later. */
const halfOf = ({ perSecond, burst }: WriteRate): WriteRate => ({
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
