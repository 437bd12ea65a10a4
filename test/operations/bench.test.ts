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

/** A rollout as the bench keeps it. */
interface KeptRollout {
  readonly weights: readonly unknown[];
  readonly cpuSeconds: Readonly<Record<string, number>>;
}

/** A row of a table in the docs. */
type Told = Pick<Kept, 'what' | 'value'>;

/** What the bench keeps of a group. */
interface KeptGroup {
  readonly figures: readonly Kept[];
  readonly raw: { readonly rollouts?: readonly KeptRollout[] };
}

/** What a figure is judged by: of processor time the cheapest rollout, since other work on the machine makes one dearer, and never cheaper. */
function judged({ what, value }: Kept, rollouts: readonly KeptRollout[] = []): number {
  const [, part] = /^processor time of (.+) for one weight$/.exec(what) ?? [];
  if (part === undefined) return value;
  return Math.min(
    ...rollouts.map(({ cpuSeconds, weights }) => (1000 * (cpuSeconds[part] ?? Infinity)) / weights.length),
  );
}

/** The rows of the table of a group in docs/performance.md. */
async function toldOf(group: string): Promise<readonly Told[]> {
  const text = await readFile(page, 'utf8');
  const part = text.split(`<!-- bench:${group} -->`)[1]?.split(`<!-- /bench:${group} -->`)[0] ?? '';
  const rows = part.matchAll(/^\| (.+?) +\| ([\d.]+) [a-zA-Z]+ +\|/gm);
  return [...rows].map(([, what = '', value]) => ({ what, value: Number(value) }));
}

/** How many times as bad as in the table a figure may be: the time of the clock, and ratios of it, depend on what else the machine does. So does processor time, but that for a weight stands beside the yardsticks of the same weights. */
function allowed({ what, unit }: Kept, slowness: number): number {
  if (unit === 'times') return 4 * slowness;
  if (what.startsWith('processor time of ')) return 2 * slowness;
  return ['s', 'ms'].includes(unit) ? 10 * slowness : 2;
}

/** Programs that are not Okra's: what they take for a request or an event says how fast the machine is, and how many of these there are is judged apart. */
const yardsticks = ['Temporal', 'kube-apiserver'].map((part) => `processor time of ${part} for one weight`);

/** How many times as slow as the machine of the table this one is now. */
function slownessOf(figures: readonly Told[], told: readonly Told[]): number {
  const valueIn = (rows: readonly Told[], name: string): number =>
    rows.find(({ what }) => what === name)?.value ?? Number.NaN;
  return Math.max(1, Math.min(...yardsticks.map((name) => valueIn(figures, name) / valueIn(told, name))));
}

/** Reads what the bench kept of a group, as it is judged, and what the docs say of it. */
async function groupIn(
  json: string,
  group: string,
): Promise<{ readonly seen: readonly Kept[]; readonly told: readonly Told[] }> {
  const { figures, raw }: KeptGroup = JSON.parse(await readFile(join(json, `${group}.json`), 'utf8'));
  const seen = figures.map((one) => ({ ...one, value: judged(one, raw.rollouts) }));
  return { seen, told: await toldOf(group) };
}

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
      const [steps, start] = await Promise.all([groupIn(json, 'steps'), groupIn(json, 'start')]);
      const slowness = slownessOf(steps.seen, steps.told);
      for (const { seen, told } of [steps, start]) {
        expect(seen.map(({ what }) => what)).toEqual(told.map(({ what }) => what));
        const worse = seen.filter(
          (one, row) => !(one.value <= allowed(one, slowness) * (told[row]?.value ?? 0)),
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
