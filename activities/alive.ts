import { withHeartbeat } from './heartbeat.ts';

/** Wraps activities so that each heartbeats while it runs: one whose process was killed is soon made again elsewhere. */
export function alive<Activities extends object>(activities: Activities): Activities {
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [
      name,
      (...args: unknown[]): Promise<unknown> =>
        withHeartbeat(() => (activity as (...all: unknown[]) => Promise<unknown>)(...args)),
    ]),
  ) as Activities;
}
