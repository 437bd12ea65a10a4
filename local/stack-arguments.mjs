import { parseArgs } from 'node:util';

/**
 * @typedef {{ readonly do: 'Explain', readonly status: 0 | 2, readonly message: string }} Explanation
 * What people are told who asked for help, or for something that there is not; with the exit status.
 *
 * @typedef {{ readonly do: 'Stay' } | { readonly do: 'Run', readonly command: string } | Explanation} StackRequest
 * What `npm run stack` was asked to do.
 */

const usage = [
  'Usage: npm run stack                      start the local stack and stay; Ctrl-C stops it',
  "       npm run stack -- --run 'command'   run a shell command against a fresh stack and exit with its status",
].join('\n');

/**
 * Reads the command line of `npm run stack`.
 * @param {readonly string[]} args
 * @returns {StackRequest}
 */
export function readStackArguments(args) {
  try {
    const options = /** @type {const} */ ({
      run: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    });
    const { values } = parseArgs({ args: [...args], options, strict: true });
    if (values.help === true) return { do: 'Explain', status: 0, message: usage };
    if (values.run === undefined) return { do: 'Stay' };
    if (values.run.trim() !== '') return { do: 'Run', command: values.run };
    return { do: 'Explain', status: 2, message: `Expected a command after --run, got nothing.\n${usage}` };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { do: 'Explain', status: 2, message: `${problem}\n${usage}` };
  }
}
