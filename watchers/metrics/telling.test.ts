import { describe, expect, it } from 'vitest';
import { ANALYSIS_RUN, CELL, FREEZE } from '../../clients/kubernetes/kinds.ts';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { createMetrics } from '../../clients/metrics/metrics.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import type { ForeignObject } from '../kinds.ts';
import { createStores } from '../informer/store.ts';
import type { KindEvent } from '../kinds.ts';
import { aCell } from '../testing/builders.ts';
import { heldBy } from './states.ts';
import { tellOf } from './telling.ts';
import { aRolloutStatus } from '../../domain/testing/builders.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const at = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

const condition = (type: string, status: 'True' | 'False', reason = 'R') => ({
  type,
  status,
  reason,
  message: 'm',
  lastTransitionTime: at(0),
});

const rollout = aRolloutStatus({ id: 'abc', startedAt: at(0) });

/** A Cell in a rollout of three steps. */
function rolling(status: CellStatus): Cell {
  const cell = aCell('web', { phase: 'Progressing', rollout, ...status });
  const steps = [{ setWeight: 20 }, { pause: { duration: '60s' } }, { setWeight: 100 }];
  return { ...cell, spec: { ...cell.spec, updateStrategy: { type: 'Canary', canary: { steps } } } };
}

/** Watchers that see events one after the other, with a clock of their own. */
function watching() {
  const metrics = createMetrics();
  const stores = createStores();
  let seconds = 0;
  const telling = tellOf(metrics, { view: stores, pending: () => 2, clock: () => START + seconds * 1000 });
  const known = new Map<string, Cell>();
  return {
    telling,
    see: (later: number, object: Cell): void => {
      seconds = later;
      const old = known.get(object.metadata.name);
      known.set(object.metadata.name, object);
      const event: KindEvent<'Cell'>['event'] =
        old === undefined ? { type: 'add', object } : { type: 'update', object, old };
      telling.take({ kind: 'Cell', event });
      stores.Cell.apply(event);
    },
    verdict: (old: 'Running', phase: 'Failed' | 'Running'): void => {
      const metadata = { name: 'run', namespace: 'default' };
      const of = (one: 'Failed' | 'Running') => ({ metadata, status: { phase: one } });
      telling.take({ kind: 'AnalysisRun', event: { type: 'update', object: of(phase), old: of(old) } });
    },
    runs: (job: ForeignObject, old = job): void => {
      telling.take({ kind: 'Job', event: { type: 'update', object: job, old } });
      stores.Job.apply({ type: 'add', object: job });
    },
    told: async (later: number): Promise<string[]> => {
      seconds = later;
      return (await metrics.scrape()).split('\n').filter((line) => line.startsWith('okra_'));
    },
  };
}

describe('the metrics of the watchers', () => {
  it('say how many Cells there are, and how many roll out', async () => {
    const { see, told } = watching();
    see(0, rolling({}));
    see(0, aCell('other', { phase: 'Completed' }));
    expect(await told(0)).toEqual(
      expect.arrayContaining([
        'okra_cells{namespace="default",phase="Progressing"} 1',
        'okra_cells{namespace="default",phase="Completed"} 1',
        'okra_rollouts{namespace="default",phase="Progressing"} 1',
        'okra_leader 1',
        'okra_messages_pending 2',
      ]),
    );
  });

  it('say for how long a Cell has waited for the same, also when its status is written meanwhile', async () => {
    const { see, told } = watching();
    see(5, rolling({ reason: 'WaitingForFreeze', lastSyncTime: at(5) }));
    see(20, rolling({ reason: 'WaitingForFreeze', message: 'another', lastSyncTime: at(20) }));
    const held = 'okra_cell_held_seconds{namespace="default",cell="web",reason="WaitingForFreeze"}';
    expect(await told(35)).toContain(`${held} 30`);
    see(40, rolling({ reason: 'ShiftingTraffic', lastSyncTime: at(40) }));
    expect((await told(41)).join('\n')).not.toContain('okra_cell_held_seconds{');
  });

  it('know after a restart since when someone has paused', async () => {
    const { see, told } = watching();
    const paused = { by: 'me', reason: '', time: at(-100) };
    see(
      0,
      rolling({
        phase: 'Paused',
        reason: 'WaitingForResume',
        lastSyncTime: at(-3),
        rollout: { ...rollout, paused },
      }),
    );
    expect(await told(0)).toContain(
      'okra_cell_held_seconds{namespace="default",cell="web",reason="WaitingForResume"} 100',
    );
  });

  it('say how long a step took of which they have seen the begin', async () => {
    const { see, told } = watching();
    see(0, rolling({ currentStepIndex: 0, lastSyncTime: at(0) }));
    see(10, rolling({ currentStepIndex: 1, lastSyncTime: at(10) }));
    see(70, rolling({ currentStepIndex: 2, lastSyncTime: at(70) }));
    const lines = (await told(70)).filter((line) => line.startsWith('okra_step_duration_seconds_'));
    expect(lines).toContain('okra_step_duration_seconds_sum{kind="pause"} 60');
    // Nobody has seen the first step begin.
    expect(lines.join('\n')).not.toContain('setWeight');
  });

  it('count changes that are over, and how long they took, and not those of before', async () => {
    const { see, told } = watching();
    const change = (version: string, from: number, to: number) => ({
      version,
      outcome: 'Completed' as const,
      message: 'm',
      startedAt: at(from),
      endedAt: at(to),
    });
    see(0, rolling({ history: [change('1.0.0', -50, -10)] }));
    see(
      90,
      aCell('web', { phase: 'Completed', history: [change('2.0.0', 0, 90), change('1.0.0', -50, -10)] }),
    );
    expect(await told(90)).toEqual(
      expect.arrayContaining([
        'okra_rollouts_finished_total{outcome="Completed"} 1',
        'okra_rollout_duration_seconds_sum{outcome="Completed"} 90',
        `okra_cell_last_change_timestamp_seconds{namespace="default",cell="web",outcome="Completed"} ${START / 1000 + 90}`,
      ]),
    );
  });

  it('count a verdict when it comes', async () => {
    const { verdict, told } = watching();
    verdict('Running', 'Running');
    verdict('Running', 'Failed');
    expect(await told(0)).toContain('okra_analysis_results_total{kind="AnalysisRun",verdict="Failed"} 1');
  });

  it('count Jobs by their conditions', async () => {
    const { runs, told } = watching();
    const aJob = (name: string, status: NonNullable<ForeignObject['status']>): ForeignObject => ({
      metadata: { name },
      status,
    });
    const failed = { conditions: [{ type: 'Failed', status: 'True' }] };
    runs(aJob('a', { active: 1 }));
    runs(aJob('b', failed), aJob('b', { active: 1 }));
    expect(await told(0)).toEqual(
      expect.arrayContaining([
        'okra_measurements{kind="Job",phase="Running"} 1',
        'okra_measurements{kind="Job",phase="Failed"} 1',
        'okra_analysis_results_total{kind="Job",verdict="Failed"} 1',
      ]),
    );
  });

  it('say how long nothing came of a kind, of the namespace of which that is longest', async () => {
    const { telling, see, told } = watching();
    telling.answered('Cell', 'a');
    see(20, aCell('web'));
    telling.answered('Cell', 'b');
    telling.answered('Namespace', undefined);
    const lines = await told(50);
    expect(lines).toContain('okra_watch_lag_seconds{kind="Cell"} 50');
    expect(lines.join('\n')).not.toContain('Namespace');
  });

  it('wait no more for a kind that was uninstalled, unless Okra needs it', async () => {
    const { telling, told } = watching();
    const absent = new KubernetesError({ status: 404, reason: 'NotFound', message: 'no' });
    for (const { kind } of [CELL, ANALYSIS_RUN]) {
      telling.answered(kind, undefined);
      telling.answered(kind, undefined, absent);
    }
    expect((await told(400)).filter((line) => line.includes('lag'))).toEqual([
      'okra_watch_lag_seconds{kind="Cell"} 400',
    ]);
  });

  it('wait for a kind that Okra needs as long as it asks for it, and for no other that it may not read', async () => {
    const { telling, told } = watching();
    const forbidden = new KubernetesError({ status: 403, reason: 'Forbidden', message: 'no' });
    for (const { kind } of [CELL, FREEZE, ANALYSIS_RUN]) {
      telling.asked(kind, 'gone');
      telling.answered(kind, 'gone', forbidden);
    }
    expect((await told(400)).filter((line) => line.includes('lag'))).toEqual([
      'okra_watch_lag_seconds{kind="Cell"} 400',
      // Okra needs none, but no rollout continues where it may not look for one.
      'okra_watch_lag_seconds{kind="Freeze"} 400',
    ]);
  });

  it('say nothing of Cells when they have ended', async () => {
    const { telling, see, told } = watching();
    see(0, rolling({}));
    telling.end();
    expect((await told(0)).join('\n')).not.toMatch(/okra_cells\{|okra_leader 1/);
  });

  it('take an object of a form that no schema allows', async () => {
    const { see, told } = watching();
    see(0, rolling({}));
    see(1, rolling({ history: null as never, conditions: 7 as never }));
    expect(await told(1)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^okra_metrics_failures_total\{state="events"\} 1$/)]),
    );
  });
});

describe('what a Cell waits for', () => {
  it.each<[string, CellStatus, string | undefined]>([
    ['is nothing without a status', {}, undefined],
    [
      'is nothing when it is ready',
      { phase: 'Waiting', conditions: [condition('Ready', 'True')] },
      undefined,
    ],
    ['is nothing while it is under way', { phase: 'Progressing', reason: 'ShiftingTraffic' }, undefined],
    ['is a pause', { phase: 'Paused', reason: 'WaitingForPause' }, 'WaitingForPause'],
    ['is target groups', { phase: 'Waiting', reason: 'NoTargetGroups' }, 'NoTargetGroups'],
    [
      'is what refuses',
      {
        phase: 'RevertBlocked',
        reason: 'AccessDenied',
        conditions: [condition('Progressing', 'True'), condition('Degraded', 'True')],
      },
      'AccessDenied',
    ],
    [
      'is nothing when it has failed for good',
      { phase: 'Failed', reason: 'Failed', conditions: [condition('Degraded', 'True')] },
      undefined,
    ],
    ['is another thing when someone has written no word', { phase: 'Waiting', reason: 'a b"c' }, 'Other'],
  ])('%s', (_, status, want) => expect(heldBy(status)).toBe(want));
});
