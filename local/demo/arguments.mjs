/**
 * @typedef {object} Wish
 * What is shown.
 * @property {boolean} keep Whether everything keeps running afterwards.
 * @property {boolean} discovery Whether the newest version comes by clusters that are found by their tags.
 * @property {boolean} staged Whether a workload goes through stages instead.
 * @property {boolean} applications Whether the applications of a Cell move to new clusters instead.
 *
 * @typedef {{ readonly do: 'Show', readonly wish: Readonly<Wish> } | import('../stack-arguments.mjs').Explanation} DemoRequest
 * What `npm run demo` was asked to do.
 */

const usage = [
  'Usage: npm run demo                   show a rollout from its first weight to the last',
  '       npm run demo -- --discovery    the same, with clusters that are found by their tags',
  '       npm run demo -- --staged       show a workload that goes from dev over test to prod',
  '       npm run demo -- --applications show the applications of a Cell that move to new clusters, and back',
  '       npm run demo -- --keep         leave everything running afterwards',
].join('\n');

const known = ['--keep', '--discovery', '--staged', '--applications', '--help', '-h'];

/**
 * Reads the command line of `npm run demo`.
 * @param {readonly string[]} args
 * @returns {DemoRequest}
 */
export function readDemoArguments(args) {
  const unknown = args.filter((argument) => !known.includes(argument));
  if (unknown.length > 0) {
    const problem = `Expected no arguments, --keep, --discovery, --staged or --applications, got ${unknown.join(' ')}.`;
    return { do: 'Explain', status: 2, message: `${problem}\n${usage}` };
  }
  if (args.includes('--help') || args.includes('-h')) return { do: 'Explain', status: 0, message: usage };
  return {
    do: 'Show',
    wish: {
      keep: args.includes('--keep'),
      discovery: args.includes('--discovery'),
      staged: args.includes('--staged'),
      applications: args.includes('--applications'),
    },
  };
}
