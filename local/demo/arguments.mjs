import { componentSets } from '../tools.mjs';

/**
 * @typedef {object} Wish
 * What is shown.
 * @property {boolean} keep Whether everything keeps running afterwards.
 * @property {boolean} discovery Whether the newest version comes by clusters that are found by their tags.
 * @property {boolean} staged Whether a workload goes through stages instead.
 * @property {boolean} applications Whether the applications of a Cell move to new clusters instead.
 * @property {boolean} onStack Whether it is shown on the stack that `npm run stack` has started, and not on one of its own.
 *
 * @typedef {{ readonly do: 'Show', readonly wish: Readonly<Wish> } | import('../stack-arguments.mjs').Explanation} DemoRequest
 * What `npm run demo` was asked to do.
 */

const usage = [
  'Usage: npm run demo                   show a rollout from its first weight to the last',
  '       npm run demo -- --discovery    the same, with clusters that are found by their tags',
  '       npm run demo -- --staged       show a workload that goes from dev over test to prod',
  '       npm run demo -- --applications show the applications of a Cell that move to new clusters, and back',
  '       npm run demo -- --on-stack     the same on the stack that `npm run stack` has started, all but --staged',
  '       npm run demo -- --keep         leave everything running afterwards',
].join('\n');

const known = ['--keep', '--discovery', '--staged', '--applications', '--on-stack', '--help', '-h'];

/**
 * The components of the stack that a wish needs.
 * @param {Readonly<Wish>} wish
 * @returns {readonly string[]}
 */
export function componentsOf({ staged, applications, onStack }) {
  if (onStack) return [];
  if (applications) return componentSets.applications;
  return staged ? componentSets.staged : componentSets.demo;
}

/**
 * Reads the command line of `npm run demo`.
 * @param {readonly string[]} args
 * @returns {DemoRequest}
 */
export function readDemoArguments(args) {
  const unknown = args.filter((argument) => !known.includes(argument));
  if (unknown.length > 0) {
    const problem = `Expected no arguments, --keep, --discovery, --staged, --applications or --on-stack, got ${unknown.join(' ')}.`;
    return { do: 'Explain', status: 2, message: `${problem}\n${usage}` };
  }
  if (args.includes('--help') || args.includes('-h')) return { do: 'Explain', status: 0, message: usage };
  if (args.includes('--staged') && args.includes('--on-stack')) {
    const problem =
      'Expected --staged or --on-stack, got both. StagedBindingPolicies are of a whole cluster, and are shown on a stack of their own.';
    return { do: 'Explain', status: 2, message: `${problem}\n${usage}` };
  }
  return {
    do: 'Show',
    wish: {
      keep: args.includes('--keep'),
      discovery: args.includes('--discovery'),
      staged: args.includes('--staged'),
      applications: args.includes('--applications'),
      onStack: args.includes('--on-stack'),
    },
  };
}
