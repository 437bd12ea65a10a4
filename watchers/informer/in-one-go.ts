/** So long nothing is done after it was asked for first, in milliseconds, and at least four times as long as it has taken before. */
const REST = { milliseconds: 50, times: 4 };

/**
 * Has something done for all who ask within a moment, and not for each of them: many events come at once, and a leader that is busy
 * does not renew its Lease.
 */
export function inOneGo(
  perform: () => void,
  onFailure: (error: unknown) => void,
  now: () => number = () => performance.now(),
): () => void {
  let isDue = false;
  let rest = REST.milliseconds;
  const run = (): void => {
    isDue = false;
    const startedAt = now();
    try {
      perform();
    } catch (error) {
      onFailure(error);
    }
    rest = Math.max(REST.milliseconds, (now() - startedAt) * REST.times);
  };
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(run, rest);
  };
}
