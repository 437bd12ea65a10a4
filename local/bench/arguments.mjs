import { parseArgs } from 'node:util';

/**
 * @typedef {object} Size
 * How much is measured.
 * @property {number} clusters
 * @property {number} bindings TargetGroupBindings in each cluster.
 * @property {number} arrivals TargetGroupBindings that come later, one after another.
 * @property {number} policies StagedBindingPolicies.
 * @property {number} stages Stages in each of them.
 *
 * @typedef {'discovery' | 'staged'} Group
 * What is measured together.
 *
 * @typedef {{ readonly do: 'Measure', readonly size: Readonly<Size>, readonly groups: readonly Group[] } | import('../stack-arguments.mjs').Explanation} BenchRequest
 * What `npm run bench` was asked to do.
 */

/** @type {Readonly<Size>} */
const usual = { clusters: 50, bindings: 10, arrivals: 20, policies: 500, stages: 5 };

/**
 * Two clusters get into trouble, and others have to go on.
 * @type {Readonly<Size>}
 */
const smallest = { clusters: 3, bindings: 1, arrivals: 2, policies: 1, stages: 1 };

/** @type {Readonly<Size>} */
const largest = { clusters: 100, bindings: 100, arrivals: 100, policies: 1000, stages: 16 };

/** @type {readonly Group[]} */
const groups = ['discovery', 'staged'];

const usage = [
  'Usage: npm run bench                       measure with 50 clusters of 10 TargetGroupBindings, and 500 StagedBindingPolicies of 5 stages',
  '       npm run bench -- --clusters 10 --bindings 5 --arrivals 4 --policies 20 --stages 3',
  '       npm run bench -- --only staged      measure StagedBindingPolicies alone; discovery the other',
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
      only: number,
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
    };
    return { do: 'Measure', size, groups: groupsOf(values.only) };
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
  const group = groups.find((name) => name === only);
  if (group !== undefined) return [group];
  throw new Error(`Expected --only to be ${groups.join(' or ')}, got ${only}.`);
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
