import { describe, expect, it } from 'vitest';
import { createMetrics } from '../metrics/metrics.ts';
import { activityMetrics, failingLooks } from './activity-metrics.ts';

const MINUTE = 60_000;

function aWorker(intervals = { drift: 60, sync: 60 }) {
  const world = { now: 0 };
  const metrics = createMetrics();
  const looks = failingLooks(intervals, () => world.now);
  const intercept = activityMetrics(metrics, looks);
  metrics.states('looks', looks.states);

  /** Makes one attempt of a look. */
  async function look(
    activity: string,
    workflowId: string,
    { fails = false, failingSince }: { fails?: boolean; failingSince?: number } = {},
  ): Promise<void> {
    const info = { activityType: activity, workflowExecution: { workflowId, runId: 'r' } };
    const args = [{ place: 'arn' }, ...(failingSince === undefined ? [] : [{ failingSince }])];
    const answer = fails ? Promise.reject(new Error('no answer')) : Promise.resolve({});
    await intercept({ info } as never)
      .inbound?.execute?.({ args, headers: {} }, () => answer)
      .catch(() => undefined);
  }

  return {
    world,
    look,
    failing: async (): Promise<readonly string[]> =>
      (await metrics.scrape())
        .split('\n')
        .filter((line) => line.startsWith('okra_reconcile_failing_seconds')),
  };
}

describe('the looks that fail again and again', () => {
  it('are told of by how long the longest has failed, whatever the others do', async () => {
    const { world, look, failing } = aWorker();
    world.now = 31 * MINUTE;
    await look('findDrift', 'drift/a', { fails: true, failingSince: MINUTE });
    await look('findDrift', 'drift/b', { fails: true, failingSince: 30 * MINUTE });
    await look('findDrift', 'drift/c', { fails: true });
    await look('syncClusterSet', 'set/a');
    expect(await failing()).toEqual(['okra_reconcile_failing_seconds{activity="findDrift"} 1800']);
  });

  it('are told of no more after one that has not failed', async () => {
    const { world, look, failing } = aWorker();
    world.now = 31 * MINUTE;
    await look('findDrift', 'drift/a', { fails: true, failingSince: MINUTE });
    await look('findDrift', 'drift/a', { failingSince: MINUTE });
    expect(await failing()).toEqual([]);
  });

  it('do not fail since when their attempts have failed, of which the last one has not', async () => {
    const { look, failing } = aWorker();
    await look('findDrift', 'drift/a', { fails: true });
    await look('findDrift', 'drift/a');
    expect(await failing()).toEqual([]);
  });

  it.each([
    ['a minute', 60, 9],
    ['an hour', 3600, 74],
  ])(
    'are told of until another worker has made the next one: with an interval of %s',
    async (_, sync, until) => {
      const { world, look, failing } = aWorker({ drift: 60, sync });
      await look('syncClusterSet', 'set/a', { fails: true, failingSince: -40 * MINUTE });
      world.now = (sync / 60) * MINUTE;
      expect(await failing()).toEqual(['okra_reconcile_failing_seconds{activity="syncClusterSet"} 2400']);
      world.now = until * MINUTE;
      expect(await failing()).toEqual([]);
    },
  );
});
