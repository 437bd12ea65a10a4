import { Context } from '@temporalio/activity';
import { failure } from './failure.ts';
import { wrapEach } from './wrap.ts';

const BEAT_MS = 250;

/** How much later Temporal hears of a beat: the SDK holds it for up to `maxHeartbeatThrottleInterval` (200 ms, in worker.ts), then it travels. */
const HEARD_LATER_MS = 500;

/** When the heartbeat of an activity was last heard of, and for how long it was silent at most. */
interface Heartbeat {
  at: number;
  longestMs: number;
}

const heartbeats = new WeakMap<Context, Heartbeat>();

/** Heartbeats while something runs, so that its death is noticed soon and its cancellation arrives. */
export async function withHeartbeat<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  // One that is wrapped twice beats once.
  if (heartbeats.has(context)) return await run(context.cancellationSignal);
  const beat: Heartbeat = { at: Date.now(), longestMs: 0 };
  heartbeats.set(context, beat);
  const timer = setInterval(() => {
    silentFor(beat);
    beat.at = Date.now();
    context.heartbeat();
  }, BEAT_MS);
  try {
    return await run(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}

/** Whether the process was stopped for so long, since the activity began, that another attempt may have taken over. */
export function isGivenUp(): boolean {
  const context = Context.current();
  const beat = heartbeats.get(context);
  const { heartbeatTimeoutMs } = context.info;
  return (
    beat !== undefined &&
    heartbeatTimeoutMs !== undefined &&
    silentFor(beat) > heartbeatTimeoutMs - HEARD_LATER_MS
  );
}

function silentFor(beat: Heartbeat): number {
  beat.longestMs = Math.max(beat.longestMs, Date.now() - beat.at);
  return beat.longestMs;
}

/** Keeps a process that was stopped for long from writing when someone else has taken over. */
export function refuseWhenGivenUp(): void {
  if (!isGivenUp()) return;
  throw failure('Superseded', 'Write skipped: a newer attempt has taken over.');
}

/** Wraps activities so that each heartbeats while it runs: one whose process was killed is soon made again elsewhere. */
export const alive = <Activities extends object>(activities: Activities): Activities =>
  wrapEach(activities, withHeartbeat);
