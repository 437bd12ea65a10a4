import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { failedTasks, replayFailures } from './interrupts/histories.ts';
import { Play } from './interrupts/play.ts';
import { lift, requests, type Act, type Column, type ColumnName } from './interrupts/requests.ts';
import { table } from './interrupts/table.ts';
import { openTheatre, type Theatre } from './interrupts/theatre.ts';
import { usualSteps, waits, type Wait, type WaitName } from './interrupts/waits.ts';

// More of them take as much of the processor in all, and each of them longer: a write has 12 s, whatever it waits for.
vi.setConfig({ maxConcurrency: 12 });

const columns = Object.keys(requests) as ColumnName[];
const rows = Object.keys(waits) as WaitName[];
const cells = columns.flatMap((column) =>
  rows.map((row) => [column, row, table[column].except[row] ?? table[column].rule] as const),
);

describe('the table of interrupts', () => {
  let theatre: Theatre;
  const plays = new Map<string, Play>();
  beforeAll(async () => {
    theatre = await openTheatre(inject('stack'));
  });
  afterAll(() => theatre.close());

  function open(column: ColumnName, row: WaitName): Play {
    const { steps = usualSteps, spec = {} }: Wait = waits[row];
    const play = new Play(theatre, `${columns.indexOf(column)}-${rows.indexOf(row)}-${process.pid}`, {
      updateStrategy: { type: 'Canary', canary: { steps: [...steps] } },
      ...spec,
    });
    plays.set(`${column} ${row}`, play);
    return play;
  }

  describe.concurrent('a request while a rollout waits', () => {
    it.each(cells)('%s during %s: %s', async (column, row, ends) => {
      const { acts, calmActs = 0, refusal }: Column = requests[column];
      const wait: Wait = waits[row];
      const done: readonly Act[] = acts.filter((act) => act !== lift || wait.lift !== undefined);
      const isRefused = ends.startsWith(REFUSED);
      const stages = ends.replace(REFUSED, '').split(' → ');
      expect([1, done.length]).toContain(stages.length);
      const play = open(column, row);
      try {
        await wait.reach(play);
        await play.until(wait.at, wait);
        const { moment } = play;
        for (const [index, act] of done.entries()) {
          expect(await act(play, wait)).toBe(isRefused && index === 0 ? refusal : undefined);
          await play.until(stages[index] ?? stages[0] ?? '');
          expect(index < calmActs ? await play.increasesSince(moment) : []).toEqual([]);
        }
        // Nothing comes later, and the watchers have nothing to start another run for.
        expect(await play.afterAnotherLook()).toBe(stages.at(-1));
        await play.untilSeen();
      } finally {
        await play.end();
      }
    });
  });

  it('leaves no workflow task that failed', async () => {
    expect(await failedTasks([...plays.values()])).toEqual([]);
  });

  it('replays what was cancelled', { timeout: 120_000 }, async () => {
    const aborted = rows.flatMap((row) => plays.get(`abort ${row}`) ?? []);
    expect(await replayFailures(inject('stack').built.workflowBundle, aborted)).toEqual([]);
  });
});

/** How the end begins in the table when the request is refused. */
const REFUSED = 'refused: ';
