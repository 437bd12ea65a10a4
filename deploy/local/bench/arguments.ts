import { parseArgs } from 'node:util';

/** How much is measured. */
export interface Size {
  readonly clusters: number;
  /** TargetGroupBindings in each cluster. */
  readonly bindings: number;
  /** TargetGroupBindings that come later, one after another. */
  readonly arrivals: number;
}

/** What `npm run bench` was asked to do. */
export type BenchRequest =
  | { readonly do: 'Measure'; readonly size: Size }
  | { readonly do: 'Explain'; readonly status: 0 | 2; readonly message: string };

const usual: Size = { clusters: 50, bindings: 10, arrivals: 20 };

// Two clusters get into trouble, and others have to go on.
const smallest: Size = { clusters: 3, bindings: 1, arrivals: 2 };

const usage = [
  'Usage: npm run bench                       measure with 50 clusters of 10 TargetGroupBindings',
  '       npm run bench -- --clusters 10 --bindings 5 --arrivals 4',
].join('\n');

/** Reads the command line of `npm run bench`. */
export function readBenchArguments(args: readonly string[]): BenchRequest {
  try {
    const number = { type: 'string' } as const;
    const options = {
      clusters: number,
      bindings: number,
      arrivals: number,
      help: { type: 'boolean', short: 'h' },
    } as const;
    const { values } = parseArgs({ args: [...args], options, strict: true });
    if (values.help === true) return { do: 'Explain', status: 0, message: usage };
    const read = (name: keyof Size): number => readNumber(name, values[name]);
    const size = { clusters: read('clusters'), bindings: read('bindings'), arrivals: read('arrivals') };
    return { do: 'Measure', size };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { do: 'Explain', status: 2, message: `${problem}\n${usage}` };
  }
}

function readNumber(name: keyof Size, text: string | undefined): number {
  if (text === undefined) return usual[name];
  const number = Number(text);
  if (Number.isInteger(number) && number >= smallest[name] && number <= 100) return number;
  throw new Error(`Expected --${name} to be a whole number from ${smallest[name]} to 100, got ${text}.`);
}
