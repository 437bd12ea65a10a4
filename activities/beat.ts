import { Context } from '@temporalio/activity';

const BEAT_MS = 1_000;

/** Heartbeats while something runs, so that its death is noticed soon and its cancellation arrives. */
export async function beating<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), BEAT_MS);
  try {
    return await run(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
