import { parseArgs } from 'node:util';

/**
 * @typedef {object} Size
 * How much is measured.
 * @property {number} clusters
 * @property {number} bindings TargetGroupBindings in each cluster.
 * @property {number} arrivals TargetGroupBindings that come later, one after another.
 *
 * @typedef {{ readonly do: 'Measure', readonly size: Readonly<Size> } | import('../stack-arguments.mjs').Explanation} BenchRequest
 * What `npm run bench` was asked to do.
 */

/** @type {Readonly<Size>} */
const usual = { clusters: 50, bindings: 10, arrivals: 20 };

/**
 * Two clusters get into trouble, and others have to go on.
 * @type {Readonly<Size>}
 */
const smallest = { clusters: 3, bindings: 1, arrivals: 2 };

const usage = [
  'Usage: npm run bench                       measure with 50 clusters of 10 TargetGroupBindings',
  '       npm run bench -- --clusters 10 --bindings 5 --arrivals 4',
].join('\n');

/**
 * Reads the command line of `npm run bench`.
 * @param {readonly string[]} args
 * @returns {BenchRequest}
 */
export function readBenchArguments(args) {
  try {
    const number = /** @type {const} */ ({ type: 'string' });
    const options = /** @type {const} */ ({
      clusters: number,
      bindings: number,
      arrivals: number,
      help: { type: 'boolean', short: 'h' },
    });
    const { values } = parseArgs({ args: [...args], options, strict: true });
    if (values.help === true) return { do: 'Explain', status: 0, message: usage };
    /** @param {keyof Size} name */
    const read = (name) => readNumber(name, values[name]);
    const size = { clusters: read('clusters'), bindings: read('bindings'), arrivals: read('arrivals') };
    return { do: 'Measure', size };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { do: 'Explain', status: 2, message: `${problem}\n${usage}` };
  }
}

/**
 * @param {keyof Size} name
 * @param {string | undefined} text
 */
function readNumber(name, text) {
  if (text === undefined) return usual[name];
  const number = Number(text);
  if (Number.isInteger(number) && number >= smallest[name] && number <= 100) return number;
  throw new Error(`Expected --${name} to be a whole number from ${smallest[name]} to 100, got ${text}.`);
}
