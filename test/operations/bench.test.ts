import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';

const run = promisify(execFile);
const bench = join(import.meta.dirname, '../../local/bench.ts');
const page = join(import.meta.dirname, '../../docs/performance.md');

/** How long the bench may take beside other tests, on a machine that is slow. */
const LONGEST_MS = 600_000;

/** A figure as the bench keeps it. */
interface Kept {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
}

/** A row of a table in the docs. */
type Told = Pick<Kept, 'what' | 'value'>;

/** The rows of the table of a group in docs/performance.md. */
async function toldOf(group: string): Promise<readonly Told[]> {
  const text = await readFile(page, 'utf8');
  const part = text.split(`<!-- bench:${group} -->`)[1]?.split(`<!-- /bench:${group} -->`)[0] ?? '';
  const rows = part.matchAll(/^\| (.+?) +\| ([\d.]+) [a-zA-Z]+ +\|/gm);
  return [...rows].map(([, what = '', value]) => ({ what, value: Number(value) }));
}

/** What others take, beside which Okra is measured. */
const isOfOthers = ({ what }: Kept): boolean =>
  /Argo Rollouts|that do nothing|by the second|of Temporal|of kube-apiserver/.test(what);

/** How many times as bad as in the table a figure may be: counts do not depend on the machine, times and their ratios do. */
const allowed = ({ unit }: Kept): number => (['s', 'ms', 'times'].includes(unit) ? 10 : 1.5);

describe('the benchmark', () => {
  it(
    'says which targets are met, and finds neither a weight nor a start much dearer than the docs say',
    {
      timeout: LONGEST_MS,
    },
    async ({ onTestFinished }) => {
      const json = await mkdtemp(join(tmpdir(), 'okra-bench-'));
      onTestFinished(() => rm(json, { recursive: true }));
      // What else it measures takes a third of a minute of processor time, and says nothing in so small a size.
      const size = ['--json', json, '--rounds', '2', '--only', 'steps,start', '--starts', '1'];
      const { folder, workflowBundle } = inject('stack').built;
      const env = { ...process.env, OKRA_PACKAGE: folder, OKRA_WORKFLOW_BUNDLE: workflowBundle };
      const { stdout } = await run(process.execPath, [bench, ...size], { timeout: LONGEST_MS, env });
      expect(stdout).toMatch(/^\| events of history for one weight +\| \d+ events +\| below 12 events/m);
      for (const group of ['steps', 'start']) {
        const { figures } = JSON.parse(await readFile(join(json, `${group}.json`), 'utf8')) as {
          readonly figures: readonly Kept[];
        };
        const told = await toldOf(group);
        expect(figures.map(({ what }) => what)).toEqual(told.map(({ what }) => what));
        const worse = figures.filter(
          (one, row) => !isOfOthers(one) && !(one.value <= allowed(one) * (told[row]?.value ?? 0)),
        );
        expect(worse).toEqual([]);
      }
    },
  );

  it('refuses an argument that it does not know, before it starts anything', async () => {
    await expect(run(process.execPath, [bench, '--fast'])).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining("Unknown option '--fast'"),
    });
  });
});
