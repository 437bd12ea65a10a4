/**
 * Wraps activities so that each answer of theirs says after how many seconds to look again: a workflow may be older than
 * the interval that is set.
 */
export function paced<Activities extends object>(
  activities: Activities,
  intervalSeconds: number,
): Activities {
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [
      name,
      async (...args: unknown[]): Promise<unknown> => {
        const answer = await (activity as (...all: unknown[]) => Promise<unknown>)(...args);
        return typeof answer === 'object' && answer !== null ? { ...answer, intervalSeconds } : answer;
      },
    ]),
  ) as Activities;
}
