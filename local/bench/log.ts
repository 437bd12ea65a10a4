import { readFile } from 'node:fs/promises';
import { waitFor } from '../wait.ts';

/** When okrad has logged each of these events first, since a moment, by its own clock; waits until it has. */
export function timesIn(
  log: string,
  events: readonly string[],
  signal: AbortSignal,
  since = 0,
): Promise<readonly number[]> {
  const patience = { what: `okrad to log ${events.join(' and ')}`, timeoutMillis: 120_000, signal };
  return waitFor(patience, async () => {
    const lines = linesIn(await readFile(log, 'utf8')).filter(({ time }) => time >= since);
    const times = events.flatMap((event) => lines.find(({ msg }) => msg === event)?.time ?? []);
    return times.length === events.length ? times : undefined;
  });
}

interface Line {
  readonly time: number;
  readonly msg: string;
}

/** The lines of a log that tell of an event; what Node.js writes itself is none. */
const linesIn = (text: string): readonly Line[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as { readonly time: string; readonly msg: string })
    .map(({ time, msg }) => ({ time: Date.parse(time), msg }));
