import { constants } from 'node:os';

/** Aborts when the program is to stop; the reason is the status that it then ends with. */
export function stopOnSignals(): AbortSignal {
  const stopped = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stopped.abort(128 + constants.signals[signal]));
  }
  // The bootstrap that started this program was killed: nobody could stop the stack any more.
  process.once('disconnect', () => stopped.abort(1));
  return stopped.signal;
}

/** Runs a program of the local stack, and ends with its status; an error is told by its message. */
export async function runProgram(main: () => Promise<number>, signal: AbortSignal): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    process.exitCode = signal.aborted ? Number(signal.reason) : 1;
    if (!signal.aborted) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
  if (process.connected) process.disconnect();
}
