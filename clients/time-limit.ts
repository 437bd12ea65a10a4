/** What runs within a time limit, and with whose signal it ends before. */
export interface TimeLimit {
  readonly milliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs something with a signal that is aborted with the one given, and by a `TimeoutError` when the time is over. Once it has ended,
 * nothing is left of it: the timers of `AbortSignal.timeout` last to their ends, and make an error then, for each request that was answered long before.
 */
export async function withTimeLimit<T>(
  { milliseconds, signal: given }: TimeLimit,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const follow = (): void => own.abort(given?.reason);
  const timer = setTimeout(() => own.abort(timeoutError()), milliseconds);
  timer.unref();
  if (given?.aborted === true) follow();
  given?.addEventListener('abort', follow, { once: true });
  try {
    return await run(own.signal);
  } finally {
    clearTimeout(timer);
    given?.removeEventListener('abort', follow);
  }
}

// As AbortSignal.timeout says it.
const timeoutError = (): DOMException =>
  new DOMException('The operation was aborted due to timeout', 'TimeoutError');
