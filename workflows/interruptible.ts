import { ActivityFailure, CancellationScope, condition, isCancellation } from '@temporalio/workflow';

/** Either an answer, or that something more urgent has come up before there was one. */
export type Answered<Value> =
  { readonly is: 'Answered'; readonly value: Value } | { readonly is: 'Interrupted' };

/** When a wait is given up. */
export interface Interruption {
  readonly happened: () => boolean;
  /** In milliseconds since the epoch; undefined: never by time. */
  readonly at?: number | undefined;
}

/** Waits for an activity until it answers or is interrupted; a write that is cancelled is waited for all the same (`WAIT_CANCELLATION_COMPLETED`). */
export async function interruptible<Value>(
  run: () => Promise<Value>,
  { happened, at }: Interruption,
): Promise<Answered<Value>> {
  const scope = new CancellationScope();
  let settled = false;
  const running = scope.run(run).finally(() => (settled = true));
  // The failure is taken up below; this keeps it from counting as unhandled until then.
  running.catch(() => undefined);
  const over = (): boolean => settled || happened();
  if (at === undefined) await condition(over);
  else await condition(over, Math.max(1, at - Date.now()), { summary: 'Until this is given up' });
  if (!settled) scope.cancel();
  try {
    return { is: 'Answered', value: await running };
  } catch (error) {
    // One that is given up in the midst of a call fails by that call; nobody waits for what it says any more.
    const isGivenUp = isCancellation(error) || error instanceof ActivityFailure;
    if (scope.consideredCancelled && isGivenUp) return { is: 'Interrupted' };
    throw error;
  }
}
