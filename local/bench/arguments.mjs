import { parseArgs } from 'node:util';

/**
 * @typedef {object} Size
 * How much is measured.
 * @property {number} clusters
 * @property {number} bindings TargetGroupBindings in each cluster.
 * @property {number} arrivals TargetGroupBindings that come later, one after another.
 * @property {number} policies StagedBindingPolicies.
 * @property {number} stages Stages in each of them.
 * @property {number} starts How many times okrad is started, or killed.
 * @property {number} cells Cells at rest.
 * @property {number} burst Cells that change at once.
 * @property {number} rollouts Rollouts that are under way at once.
 * @property {number} rounds Rollouts that are measured one after another.
 *
 * @typedef {'steps' | 'abort' | 'load' | 'discovery' | 'staged' | 'start' | 'takeover' | 'idle' | 'burst'} Group
 * What is measured together.
 *
 * @typedef {{ readonly do: 'Measure', readonly size: Readonly<Size>, readonly groups: readonly Group[], readonly json?: string, readonly write: boolean } | import('../stack-arguments.mjs').Explanation} BenchRequest
 * What `npm run bench` was asked to do.
 */

/** @type {Readonly<Size>} */
const usual = {
  clusters: 50,
  bindings: 10,
  arrivals: 20,
  policies: 500,
  stages: 5,
  starts: 5,
  cells: 10_000,
  burst: 5_000,
  rollouts: 40,
  rounds: 5,
};

/**
 * Two clusters get into trouble, and others have to continue.
 * @type {Readonly<Size>}
 */
const smallest = {
  clusters: 3,
  bindings: 1,
  arrivals: 2,
  policies: 1,
  stages: 1,
  starts: 1,
  cells: 10,
  burst: 10,
  rollouts: 2,
  rounds: 1,
};

/** @type {Readonly<Size>} */
const largest = {
  clusters: 100,
  bindings: 100,
  arrivals: 100,
  policies: 1000,
  stages: 16,
  starts: 50,
  cells: 50_000,
  burst: 20_000,
  rollouts: 200,
  rounds: 50,
};

/** @type {readonly Group[]} */
const groups = ['steps', 'abort', 'load', 'discovery', 'staged', 'start', 'takeover', 'idle', 'burst'];

const usage = [
  'Usage: npm run bench                       measure with 50 clusters of 10 TargetGroupBindings, and 500 StagedBindingPolicies of 5 stages',
  '       npm run bench -- --clusters 10 --bindings 5 --arrivals 4 --policies 20 --stages 3',
  '       npm run bench -- --only start,idle   measure some of it: steps, abort, load, discovery, staged, start, takeover, idle, burst',
  '       npm run bench -- --only takeover --starts 10    kill okrad ten times',
  '       npm run bench -- --only idle --cells 1500       with so many Cells at rest; --burst with so many that change',
  '       npm run bench -- --only abort,load --rollouts 200    with so many rollouts at once',
  '       npm run bench -- --json out --write  keep the raw data in a folder, and write the tables in docs/performance.md',
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
      policies: number,
      stages: number,
      starts: number,
      cells: number,
      burst: number,
      rollouts: number,
      rounds: number,
      only: number,
      json: number,
      write: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    });
    const { values } = parseArgs({ args: [...args], options, strict: true });
    if (values.help === true) return { do: 'Explain', status: 0, message: usage };
    /** @param {keyof Size} name */
    const read = (name) => readNumber(name, values[name]);
    const size = {
      clusters: read('clusters'),
      bindings: read('bindings'),
      arrivals: read('arrivals'),
      policies: read('policies'),
      stages: read('stages'),
      starts: read('starts'),
      cells: read('cells'),
      burst: read('burst'),
      rollouts: read('rollouts'),
      rounds: read('rounds'),
    };
    const kept = values.json === undefined ? {} : { json: values.json };
    return { do: 'Measure', size, groups: groupsOf(values.only), ...kept, write: values.write === true };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { do: 'Explain', status: 2, message: `${problem}\n${usage}` };
  }
}

/**
 * @param {string | undefined} only
 * @returns {readonly Group[]}
 */
function groupsOf(only) {
  if (only === undefined) return groups;
  const wanted = only.split(',').map((name) => name.trim());
  const found = groups.filter((name) => wanted.includes(name));
  if (found.length === wanted.length) return found;
  throw new Error(`Expected --only to be some of ${groups.join(', ')}, got ${only}.`);
}

/**
 * @param {keyof Size} name
 * @param {string | undefined} text
 */
function readNumber(name, text) {
  if (text === undefined) return usual[name];
  const number = Number(text);
  if (Number.isInteger(number) && number >= smallest[name] && number <= largest[name]) return number;
  throw new Error(
    `Expected --${name} to be a whole number from ${smallest[name]} to ${largest[name]}, got ${text}.`,
  );
}
