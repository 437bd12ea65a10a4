import { describe, expect, it } from 'vitest';
import type { CanaryStep, CellSpec } from '../../../crds/cell.ts';
import type { AnalysisPhase } from './analysis.ts';
import { refusal } from '../../model/requests.ts';
import { asked, rollingOut, stands } from '../../testing/rolling-out.ts';
import type { Simulation } from '../../testing/simulation.ts';

type Strategy = NonNullable<CellSpec['updateStrategy']>;

const MINUTE = 60_000;
const analysis = { templates: [{ templateName: 'rate' }] };
const freeze = { name: 'all', by: 'ops', reason: 'Friday.' };

/** A rollout of 2.0.0 whose analysis in the background holds it when it fails, as far as it comes by itself. */
function rolling(
  steps: CanaryStep[],
  strategy: Partial<Strategy> = {},
  spec: Partial<CellSpec> = {},
): Simulation {
  const canary = { onFailure: 'Hold' as const, steps, analysis: { ...analysis, startingStep: 0 } };
  const simulation = rollingOut({
    settle: '10s',
    updateStrategy: { type: 'Canary', canary, ...strategy },
    ...spec,
  });
  simulation.pass(MINUTE);
  return simulation;
}

function concluded(simulation: Simulation, phase: AnalysisPhase): string {
  simulation.conclude(phase, 'inBackground');
  simulation.run();
  return stands(simulation);
}

/** The verdict is there, and nobody has told of it. */
function untold(simulation: Simulation, phase: AnalysisPhase): void {
  for (const [name, run] of simulation.runs) simulation.runs.set(name, { ...run, phase });
}

const verdicts = [
  ['Failed', 'Paused AnalysisFailed'],
  ['Inconclusive', 'Paused WaitingForVerdict'],
] as const;
const paused: CanaryStep[] = [{ setWeight: 5 }, { pause: {} }, { setWeight: 80 }];

describe('an analysis in the background that comes to no success after a promoteFull', () => {
  it.each(verdicts)('holds the rollout when it is %s while a Freeze lasts', (phase, held) => {
    const simulation = rolling(paused);
    simulation.freezes = [freeze];
    expect(asked(simulation, 'promoteFull')).toBe('Paused WaitingForFreeze 5');
    concluded(simulation, phase);
    simulation.freezes = [];
    simulation.wake();
    simulation.pass(60 * MINUTE);
    expect(stands(simulation)).toBe(`${held} 5`);
    expect(asked(simulation, 'abort')).toBe('Reverted VersionBlocked 0');
  });

  it.each(verdicts)('holds the rollout when it is %s at an approval', (phase, held) => {
    const steps = [{ setWeight: 50 }, { approval: { groups: ['g'], count: 1 } }, { setWeight: 80 }];
    const simulation = rolling(steps);
    asked(simulation, 'promoteFull');
    expect(concluded(simulation, phase)).toBe(`${held} 50`);
    simulation.approve('bob', 'g');
    simulation.pass(60 * MINUTE);
    expect(stands(simulation)).toBe(`${held} 50`);
    asked(simulation, 'promote');
    simulation.pass(MINUTE);
    expect(stands(simulation)).toBe('Completed Serving 100');
  });

  it.each(verdicts)('does not hold it when it was %s before', (phase, held) => {
    const simulation = rolling(paused);
    expect(concluded(simulation, phase)).toBe(`${held} 5`);
    asked(simulation, 'promoteFull');
    simulation.pass(MINUTE);
    expect(stands(simulation)).toBe('Completed Serving 100');
  });

  it.each(verdicts)('and was %s after a promote, holds the rollout, too', (phase, held) => {
    const simulation = rolling(paused);
    asked(simulation, 'pause');
    asked(simulation, 'promote');
    concluded(simulation, phase);
    expect(asked(simulation, 'resume')).toBe(`${held} 5`);
  });
});

describe('an analysis in the background that is held after the last step', () => {
  /** The weight is 100, and the data plane is waited for. */
  const last = (phase: AnalysisPhase): Simulation => {
    const simulation = rolling([{ setWeight: 50 }], {}, { settle: '10m' });
    simulation.pass(10 * MINUTE);
    expect(stands(simulation)).toBe('Progressing WaitingForSettle 100');
    concluded(simulation, phase);
    simulation.pass(60 * MINUTE);
    return simulation;
  };

  it.each(verdicts)(
    'is not forgotten by a retry when it is %s, as nothing would measure again',
    (phase, held) => {
      const simulation = last(phase);
      expect(refusal(simulation.state, 'retry')).toMatch(/no steps are left .* Send promote .*, or abort/);
      expect(asked(simulation, 'retry')).toBe(`${held} 100`);
      expect(simulation.status.message).toMatch(/ Send promote to continue.*, or abort to revert\.$/);
      expect(simulation.status.message).not.toContain('retry');
    },
  );

  it.each(verdicts)('is gone on without by a promote when it is %s', (phase) =>
    expect(asked(last(phase), 'promote')).toBe('Completed Serving 100'),
  );

  it.each(verdicts)('is taken back by an abort when it is %s', (phase) =>
    expect(asked(last(phase), 'abort')).toBe('Reverted VersionBlocked 0'),
  );

  it.each(verdicts)('nor is it forgotten when it is %s after a promoteFull', (phase, held) => {
    const simulation = rolling(paused);
    simulation.freezes = [freeze];
    asked(simulation, 'promoteFull');
    concluded(simulation, phase);
    expect(asked(simulation, 'retry')).toBe(`${held} 5`);
    expect(simulation.runs.size).toBe(1);
  });

  it('stays when something else is to be tried again', () => {
    const simulation = last('Failed');
    const backoff = {
      during: 'Shift',
      reason: 'Throttled',
      message: '',
      since: 0,
      attempts: 1,
      until: 0,
    } as const;
    simulation.state = { ...simulation.state, backoff };
    expect(refusal(simulation.state, 'retry')).toBeUndefined();
    expect(asked(simulation, 'retry')).toMatch(/ 100$/);
    expect(simulation.state.rollout?.background?.verdict.phase).toBe('Failed');
  });
});

describe('an analysis in the background that is held on the way into a bake', () => {
  const bake = { duration: '1h', analysis };
  const baking = (phase: AnalysisPhase): Simulation => {
    const simulation = rolling([{ setWeight: 50 }], { bake }, { settle: '10m' });
    simulation.pass(10 * MINUTE);
    untold(simulation, phase);
    simulation.pass(120 * MINUTE);
    return simulation;
  };

  it.each(verdicts)('is judged before the bake when it was %s since it was read last', (phase, held) => {
    const simulation = baking(phase);
    expect(stands(simulation)).toBe(`${held} 100`);
    expect([...simulation.runs.keys()]).toEqual([expect.stringContaining('-bg-')]);
    expect(asked(simulation, 'abort')).toBe('Reverted VersionBlocked 0');
  });

  it.each(verdicts)('and was %s takes nothing of the bake when someone continues without it', (phase) => {
    const simulation = baking(phase);
    expect(asked(simulation, 'promote')).toBe('Progressing WaitingForBake 100');
    expect([...simulation.runs.keys()]).toContainEqual(expect.stringContaining('-bake-'));
    simulation.pass(59 * MINUTE);
    expect(stands(simulation)).toBe('Progressing WaitingForBake 100');
    simulation.pass(MINUTE);
    expect(stands(simulation)).toBe('Completed Serving 100');
  });
});

it.each(verdicts)(
  'an analysis in the background that watches the bake, too, is held when it is %s',
  (phase, held) => {
    const simulation = rolling(paused, { bake: { duration: '1h' } });
    asked(simulation, 'promoteFull');
    simulation.pass(MINUTE);
    expect(stands(simulation)).toBe('Progressing WaitingForBake 100');
    expect(concluded(simulation, phase)).toBe(`${held} 100`);
    expect(asked(simulation, 'retry')).toBe(`${held} 100`);
    expect(asked(simulation, 'promote')).toBe('Progressing WaitingForBake 100');
    simulation.pass(60 * MINUTE);
    expect(stands(simulation)).toBe('Completed Serving 100');
  },
);

describe('a resume', () => {
  it.each(verdicts)('continues without no analysis in the background that is %s', (phase, held) => {
    const simulation = rolling(paused);
    concluded(simulation, phase);
    expect(refusal(simulation.state, 'resume')).toMatch(
      /held by its background analysis, not only paused\. Send retry .*, promote .*, or abort/,
    );
    expect(asked(simulation, 'resume')).toBe(`${held} 5`);
    expect(simulation.state.requests).toEqual({});
  });

  it("ends an operator's pause meanwhile", () => {
    const simulation = rolling(paused);
    asked(simulation, 'pause');
    concluded(simulation, 'Failed');
    expect(asked(simulation, 'resume')).toBe('Paused AnalysisFailed 5');
  });
});
