import { describe, expect, it } from 'vitest';
import { createMetrics } from '../clients/metrics/metrics.ts';
import type { OpenRun, RunReading, WorkflowTasks } from '../clients/temporal/workflow-tasks.ts';
import { createRouter } from './router.ts';
import { watchStuckRuns } from './stuck-runs.ts';
import { aCell, aConfig, LISTENER } from './testing/builders.ts';
import { fakeClock, noLog, turn } from './testing/fakes.ts';

const CHECK = 10_000;
const failing: NonNullable<RunReading['due']> = {
  task: { attempt: 5, failures: [{ at: -60_000, message: 'out of order' }] },
  signals: [],
};
const healthy: NonNullable<RunReading['due']> = { task: { attempt: 1, failures: [] }, signals: [] };
const run = (workflowId: string, type = 'cellRollout', runId = `${workflowId}-1`): OpenRun => ({
  workflowId,
  runId,
  type,
});

interface Given {
  readonly open: OpenRun[];
  /** What is due, by run id; nothing is due of other runs. */
  readonly due: Map<string, NonNullable<RunReading['due']>>;
}

/** A Temporal with open runs, watched by those who know the Cell `web`. */
function watching({ open, due }: Given) {
  const clock = fakeClock();
  const stop = new AbortController();
  const metrics = createMetrics();
  const seen = {
    calls: [] as string[],
    read: [] as string[],
    told: [] as object[],
    routed: [] as string[],
    /** How many events runs have; 10 unless it is said. */
    events: {} as Record<string, number>,
    refusals: 0,
  };
  const remove = ({ runId }: OpenRun): void => {
    const index = open.findIndex((one) => one.runId === runId);
    if (index !== -1) open.splice(index, 1);
  };
  const tasks: WorkflowTasks = {
    list: async function* (types) {
      for (const one of open.filter(({ type }) => types.includes(type))) yield await Promise.resolve(one);
    },
    read: ({ runId }) => {
      seen.read.push(runId);
      if (!open.some((one) => one.runId === runId)) return Promise.resolve(undefined);
      const task = due.get(runId);
      return Promise.resolve({
        events: seen.events[runId] ?? 10,
        ...(task === undefined ? {} : { due: task }),
      });
    },
    signalsSince: () => Promise.resolve([{ signalName: 'abort' } as never]),
    terminate: (one, reason) => {
      seen.calls.push(`terminate ${one.runId}: ${reason}`);
      remove(one);
      return Promise.resolve(true);
    },
    resend: (workflowId, { signalName }) => {
      seen.calls.push(`resend ${signalName} to ${workflowId}`);
      return Promise.resolve();
    },
  };
  const router = createRouter((order) => void seen.routed.push(order.do), noLog);
  const cell = aCell('web', { phase: 'Progressing' });
  const object = { ...cell, metadata: { ...cell.metadata, uid: 'u1' } };
  router.take({ kind: 'Cell', event: { type: 'add', object } });
  router.take({ kind: 'AWSApplicationLoadBalancerConfig', event: { type: 'add', object: aConfig() } });
  const watched = watchStuckRuns({
    tasks,
    router,
    carryOut: (order) => {
      seen.calls.push(order.do);
      if (seen.refusals === 0) return Promise.resolve();
      seen.refusals -= 1;
      return Promise.reject(new Error('away'));
    },
    kubernetes: {
      create: (event) => {
        seen.told.push(event);
        return Promise.resolve(event as never);
      },
    },
    metrics,
    log: noLog,
    signal: stop.signal,
    sleep: clock.sleep,
    clock: clock.now,
  });
  return {
    seen,
    check: async (times = 1): Promise<void> => {
      for (let i = 0; i < times; i += 1) await clock.advance(CHECK + 1);
      for (let i = 0; i < 20; i += 1) await turn();
    },
    scrape: async () =>
      (await metrics.scrape()).split('\n').filter((line) => line.startsWith('okra_workflows')),
    end: async (): Promise<void> => {
      stop.abort();
      await watched;
    },
  };
}

const web = run('cell/default/web');
const REASON = 'WorkflowStuck: Its workflow task failed 4 times since 1969-12-31T23:59:00.000Z: out of order';

describe('the watch over stuck runs', () => {
  it('replaces a run, tells people at the object, and counts it', async () => {
    const { seen, check, scrape, end } = watching({ open: [web], due: new Map([[web.runId, failing]]) });
    await check();
    expect(seen.calls).toEqual([`terminate ${web.runId}: ${REASON}`, 'Start']);
    expect(seen.told).toMatchObject([
      {
        type: 'Warning',
        reason: 'WorkflowStuck',
        regarding: { kind: 'Cell', name: 'web', uid: 'u1' },
        note: expect.stringContaining('out of order') as string,
      },
    ]);
    expect(await scrape()).toEqual(['okra_workflows_stuck{type="cellRollout"} 1']);
    await check(40);
    expect(await scrape()).toEqual([]);
    expect(seen.calls).toHaveLength(2);
    await end();
  });

  it('leaves runs alone that work, or whose task waits', async () => {
    const api = run('cell/default/api');
    const { seen, check, scrape, end } = watching({
      open: [web, api],
      due: new Map([[web.runId, healthy]]),
    });
    await check(3);
    expect(seen.calls).toEqual([]);
    expect(await scrape()).toEqual([]);
    await end();
  });

  it('leaves a run whose object is not known here', async () => {
    const gone = run('cell/other/gone');
    const { seen, check, scrape, end } = watching({ open: [gone], due: new Map([[gone.runId, failing]]) });
    await check(2);
    expect(seen.calls).toEqual([]);
    expect(await scrape()).toEqual(['okra_workflows_stuck{type="cellRollout"} 1']);
    await end();
  });

  it('sends what was asked of the run to the next one, and not what only wakes it', async () => {
    const signals = ['pause', 'changed', 'abort', 'analysisFinished'].map(
      (signalName) => ({ signalName }) as never,
    );
    const { seen, check, end } = watching({
      open: [web],
      due: new Map([[web.runId, { ...failing, signals }]]),
    });
    await check();
    // The next run knows after a moment of which rollout a pause is.
    expect(seen.calls.slice(1)).toEqual([
      'Start',
      'resend abort to cell/default/web',
      'resend pause to cell/default/web',
    ]);
    await end();
  });

  it('tries to start the next run until Temporal takes it', async () => {
    const signals = [{ signalName: 'abort' } as never];
    const { seen, check, end } = watching({
      open: [web],
      due: new Map([[web.runId, { ...failing, signals }]]),
    });
    seen.refusals = 2;
    await check(3);
    expect(seen.calls.slice(1)).toEqual(['Start', 'Start', 'Start', 'resend abort to cell/default/web']);
    await end();
  });

  it('replaces one that is stuck again only after a while', async () => {
    const next = { ...web, runId: 'second' };
    const open = [web];
    const { seen, check, end } = watching({
      open,
      due: new Map([web, next].map(({ runId }) => [runId, failing])),
    });
    await check();
    open.push(next);
    await check(10);
    expect(seen.calls.filter((call) => call.startsWith('terminate'))).toHaveLength(1);
    await check(2);
    expect(seen.calls.filter((call) => call.startsWith('terminate'))).toHaveLength(2);
    await end();
  });

  it('replaces a run of which Temporal has lost a part, with what it was sent since', async () => {
    const { seen, check, end } = watching({ open: [web], due: new Map() });
    await check();
    seen.events[web.runId] = 12;
    await check();
    expect(seen.calls).toEqual([]);
    seen.events[web.runId] = 9;
    await check();
    expect(seen.calls).toEqual([
      expect.stringContaining('Its history has 9 events, and had 12 before'),
      'Start',
      'resend abort to cell/default/web',
    ]);
    expect(seen.routed).toContain('Start');
    await end();
  });

  it('starts the watch over a place again, which no object is named after', async () => {
    const drift = run(`drift/${LISTENER}`, 'driftWatch');
    const { seen, check, end } = watching({ open: [drift], due: new Map([[drift.runId, failing]]) });
    await check();
    expect(seen.routed).toContain('Watch');
    expect(seen.told).toEqual([]);
    await end();
  });

  it('reads rollouts in each check, and thousands of others in turns', async () => {
    const others = Array.from({ length: 1000 }, (_, index) => run(`check/default/c${index}`, 'check'));
    const { seen, check, end } = watching({ open: [web, ...others], due: new Map() });
    await check(20);
    const checks = seen.read.filter((runId) => runId === web.runId).length;
    expect(checks).toBeGreaterThan(2);
    expect(seen.read.length).toBeLessThanOrEqual((checks + 1) * 200);
    expect(new Set(seen.read).size).toBe(1001);
    await end();
  });
});
