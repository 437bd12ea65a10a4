import { readFile, rm } from 'node:fs/promises';

/**
 * @typedef {object} Counts
 * What came of the tests of one run of vitest.
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 * @property {readonly string[]} failures What failed, each with its file, its name and its error.
 *
 * @typedef {object} TestRun
 * One run of vitest.
 * @property {readonly string[]} args
 * @property {number} niceness As nice(1) has it: 0 is usual, 19 the least urgent.
 * @property {boolean} isShown Whether its output is shown as it comes; otherwise when everything has ended.
 * @property {boolean} [isContained] Whether it runs with containers, by local/containers/main.ts.
 */

/**
 * The runs of vitest that the arguments of `npm test` ask for. All tests are two runs: integration tests wait a tenth of
 * their time for their servers, in which unit tests take the processor. These run in one process, and end long before the
 * others: each process more loads and compiles the same modules for 6 s.
 * @param {readonly string[]} args
 * @returns {readonly TestRun[]}
 */
export const testRuns = (args) =>
  args[0] === '--containers'
    ? [{ args: ['--project', 'containers', ...args.slice(1)], niceness: 0, isShown: true, isContained: true }]
    : args.length > 0
      ? [{ args, niceness: 0, isShown: true }]
      : [
          { args: ['--project', 'integration'], niceness: 0, isShown: true },
          { args: ['--project', 'unit', '--maxWorkers', '1'], niceness: 2, isShown: false },
        ];

/**
 * Reads what the runs have counted (test/support/plain-reporter.ts), and removes it. A run that ended before it counted
 * is one failure.
 * @param {readonly string[]} files
 * @returns {Promise<{ readonly failures: readonly string[], readonly line: string, readonly isWhole: boolean }>}
 */
export async function readCounts(files) {
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(file, 'utf8').catch(() => undefined);
      await rm(file, { force: true });
      return text === undefined ? undefined : /** @type {Counts} */ (JSON.parse(text));
    }),
  );
  const counts = found.filter((one) => one !== undefined);
  const lost = found.length - counts.length;
  const failures = counts.flatMap((one) => one.failures);
  const line = countsLine([...counts, { passed: 0, failed: lost, skipped: 0, failures: [] }]);
  if (lost === 0) return { failures, line, isWhole: true };
  return { failures, line: `${line} (vitest ended before it counted)`, isWhole: false };
}

/**
 * Renders counts as the plain line that ends `npm test`.
 * @param {readonly Counts[]} runs
 */
export function countsLine(runs) {
  /** @param {'passed' | 'failed' | 'skipped'} what */
  const sum = (what) => runs.reduce((all, one) => all + one[what], 0);
  const skipped = sum('skipped');
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
