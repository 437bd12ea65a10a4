import { describe, expect, it } from 'vitest';
import { watchDatabase } from './database.ts';
import { fakeClock, noLog, turn } from './testing/fakes.ts';

const LOOK = 10_000;

/** A Temporal that has one database after the other; undefined: it is away. */
function aTemporal(...databases: readonly (string | undefined)[]) {
  const clock = fakeClock();
  const stop = new AbortController();
  const seen = { reads: 0, prepared: [] as string[], lost: 0, unprepared: 0 };
  const now = (): string | undefined => databases[Math.min(seen.reads, databases.length) - 1];
  const watching = watchDatabase({
    database: {
      read: async () => {
        seen.reads += 1;
        await turn();
        const found = now();
        if (found === undefined) throw new Error('away');
        return found;
      },
      prepare: async () => {
        await turn();
        if (seen.unprepared > 0) {
          seen.unprepared -= 1;
          throw new Error('away again');
        }
        seen.prepared.push(now() ?? '');
      },
    },
    onLost: () => {
      seen.lost += 1;
    },
    log: noLog,
    signal: stop.signal,
    sleep: clock.sleep,
  });
  const look = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i += 1) await clock.advance(LOOK + 1);
    await turn();
    await turn();
  };
  const end = async (): Promise<void> => {
    stop.abort();
    await watching;
  };
  return { seen, look, end };
}

describe('the watch over the database of Temporal', () => {
  it('sets up the first, and says nothing while it stays', async () => {
    const { seen, look, end } = aTemporal('one');
    await look(3);
    await end();
    expect(seen).toMatchObject({ prepared: ['one'], lost: 0 });
    expect(seen.reads).toBeGreaterThan(2);
  });

  it('sets up another, and then says once that the former is lost', async () => {
    const { seen, look, end } = aTemporal('one', 'two');
    await look(4);
    await end();
    expect(seen).toMatchObject({ prepared: ['one', 'two'], lost: 1 });
  });

  it('takes no silence for a loss', async () => {
    const { seen, look, end } = aTemporal('one', undefined, '', undefined, 'one');
    await look(6);
    await end();
    expect(seen).toMatchObject({ prepared: ['one'], lost: 0 });
  });

  it('notices a loss while Temporal was away', async () => {
    const { seen, look, end } = aTemporal('one', undefined, undefined, 'two');
    await look(5);
    await end();
    expect(seen).toMatchObject({ prepared: ['one', 'two'], lost: 1 });
  });

  it('says nothing before the new one is set up', async () => {
    const { seen, look, end } = aTemporal('one', 'two');
    await turn();
    await turn();
    seen.unprepared = 2;
    await look(2);
    expect(seen.lost).toBe(0);
    await look(3);
    await end();
    expect(seen).toMatchObject({ prepared: ['one', 'two'], lost: 1 });
  });
});
