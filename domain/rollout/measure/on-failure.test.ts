import { describe, expect, it } from 'vitest';
import type { CanaryStep, CellSpec } from '../../../crds/cell.ts';
import { arnOf } from '../../testing/builders.ts';
import { aStepAnalysis } from '../../testing/checks.ts';
import { aJob } from '../../testing/jobs.ts';
import { asked, rollingOut, stands } from '../../testing/rolling-out.ts';
import type { Simulation } from '../../testing/simulation.ts';

type Strategy = NonNullable<CellSpec['updateStrategy']>;
type Canary = NonNullable<Strategy['canary']>;

const analysis = { templates: [{ templateName: 'rate' }] };
const failing: readonly (readonly [CanaryStep, string])[] = [
  [{ analysis }, 'AnalysisFailed'],
  [{ experiment: { templates: [{ name: 'wy', specRef: 'wy', replicas: 1 }] } }, 'ExperimentFailed'],
  [{ check: { name: 'dd', analysis: aStepAnalysis() } }, 'CheckFailed'],
  [{ job: aJob() }, 'JobFailed'],
];
const around = (step: CanaryStep): CanaryStep[] => [{ setWeight: 20 }, step, { setWeight: 50 }];

/** A rollout of 2.0.0 that has come as far as it can by itself. */
function rolling(canary: Canary, strategy: Partial<Strategy> = {}, spec: Partial<CellSpec> = {}): Simulation {
  const simulation = rollingOut({
    updateStrategy: { type: 'Canary', canary, ...strategy },
    ...spec,
  });
  simulation.run();
  return simulation;
}

function failed(canary: Canary, strategy: Partial<Strategy> = {}, spec: Partial<CellSpec> = {}): Simulation {
  const simulation = rolling(canary, strategy, spec);
  simulation.conclude('Failed');
  simulation.run();
  return simulation;
}

const held = (step: CanaryStep): Simulation => failed({ onFailure: 'Hold', steps: around(step) });
describe('what fails in a rollout that is to be taken back', () => {
  it.each(failing)('%j takes everything back, as %s', (step, reason) => {
    for (const canary of [{ steps: around(step) }, { onFailure: 'Rollback' as const, steps: around(step) }]) {
      const simulation = failed(canary);
      expect(stands(simulation)).toBe('Reverted VersionBlocked 0');
      expect(simulation.writes.at(-1)?.state.rollout?.ending?.reason).toBe(reason);
    }
  });
});

describe('what fails in a rollout that is to be held', () => {
  it.each(failing)('%j keeps the weights, as %s', (step, reason) => {
    const simulation = held(step);
    simulation.pass(86_400_000);
    expect(stands(simulation)).toBe(`Paused ${reason} 20`);
    expect(simulation.status.message).toMatch(/ended as Failed.*Send retry .*, promote .*, or abort/);
    expect(simulation.status.blockedVersions).toEqual([]);
    expect(simulation.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'Degraded', status: 'True', reason }),
    );
  });

  it.each(failing)('%j continues when someone promotes', (step) =>
    expect(asked(held(step), 'promote')).toBe('Completed Serving 100'),
  );

  it.each(failing)('%j is taken back when someone aborts', (step) =>
    expect(asked(held(step), 'abort')).toBe('Reverted VersionBlocked 0'),
  );

  it.each(failing)('%j is measured again, under another name, when someone retries', (step) => {
    const simulation = held(step);
    const [before] = simulation.runs.keys();
    expect(asked(simulation, 'retry')).toMatch(/^Progressing WaitingFor(Analysis|Experiment|Check|Job) 20$/);
    expect([...simulation.runs.keys()]).toEqual([before, expect.not.stringMatching(`^${before}$`)]);
    simulation.conclude('Failed');
    simulation.run();
    expect(stands(simulation)).toMatch(/^Paused \w+Failed 20$/);
    simulation.ask('retry');
    simulation.run();
    simulation.conclude('Successful');
    simulation.run();
    expect(stands(simulation)).toBe('Completed Serving 100');
  });

  it('is taken back as soon as onFailure is Rollback', () => {
    const simulation = held({ analysis });
    simulation.edit((spec) => ({
      ...spec,
      updateStrategy: { type: 'Canary', canary: { onFailure: 'Rollback', steps: around({ analysis }) } },
    }));
    simulation.wake();
    simulation.run();
    expect(stands(simulation)).toBe('Reverted VersionBlocked 0');
  });

  it('does not use up the time that the rollout may take', () => {
    const canary: Canary = { onFailure: 'Hold', steps: around({ analysis }) };
    const simulation = failed(canary, {}, { progressDeadline: '1h' });
    simulation.pass(86_400_000);
    expect(stands(simulation)).toBe('Paused AnalysisFailed 20');
  });
});

describe('an analysis in the background that fails in a rollout that is to be held', () => {
  const canary: Canary = {
    onFailure: 'Hold',
    steps: [{ setWeight: 20 }, { pause: { duration: '1h' } }, { setWeight: 50 }],
    analysis: { ...analysis, startingStep: 1 },
  };

  it('keeps the weights, also when the step is over', () => {
    const simulation = failed(canary);
    expect(stands(simulation)).toBe('Paused AnalysisFailed 20');
    simulation.pass(86_400_000);
    expect(stands(simulation)).toBe('Paused AnalysisFailed 20');
  });

  it('no longer holds when someone promotes', () => {
    const simulation = failed(canary);
    asked(simulation, 'promote');
    simulation.pass(3_600_000);
    expect(stands(simulation)).toBe('Completed Serving 100');
  });

  it('is started again when someone retries', () => {
    const simulation = failed(canary);
    expect(asked(simulation, 'retry')).toBe('Paused WaitingForPause 20');
    expect(simulation.runs.size).toBe(2);
    simulation.conclude('Successful');
    simulation.pass(3_600_000);
    expect(stands(simulation)).toBe('Completed Serving 100');
  });

  it('takes everything back after the last step', () => {
    const simulation = rolling({ onFailure: 'Hold' }, { bake: { duration: '1h', analysis } });
    expect(stands(simulation)).toMatch(/ 100$/);
    simulation.conclude('Failed');
    simulation.run();
    expect(stands(simulation)).toBe('Reverted VersionBlocked 0');
  });
});

describe('targets that do not become healthy', () => {
  const unhealthy = (canary: Canary): Simulation => {
    const simulation = rolling({ ...canary, steps: [{ pause: {} }, { setWeight: 20 }] });
    simulation.unhealthy.add(arnOf('b'));
    simulation.ask('resume');
    simulation.pass(86_400_000);
    return simulation;
  };

  it('take the version back after healthTimeout', () =>
    expect(stands(unhealthy({}))).toBe('Reverted VersionBlocked 0'));

  it('are waited for without an end in a rollout that is to be held', () => {
    const simulation = unhealthy({ onFailure: 'Hold' });
    expect(stands(simulation)).toBe('Progressing WaitingForHealth 0');
    simulation.unhealthy.clear();
    simulation.pass(60_000);
    expect(stands(simulation)).toBe('Completed Serving 100');
  });
});

describe('a verdict that is inconclusive', () => {
  it('is asked for again when someone retries', () => {
    const simulation = rolling({ steps: around({ analysis }) });
    simulation.conclude('Inconclusive');
    simulation.run();
    expect(stands(simulation)).toBe('Paused WaitingForVerdict 20');
    expect(asked(simulation, 'retry')).toBe('Progressing WaitingForAnalysis 20');
    simulation.conclude('Successful');
    simulation.run();
    expect(stands(simulation)).toBe('Completed Serving 100');
  });
});

describe('what fails in a blue-green rollout', () => {
  const steps = [{ analysis }, { promote: {} }, { analysis }];
  it.each([
    ['is held before the switch', 'Hold', false, 'Paused AnalysisFailed 0'],
    ['is held after the switch', 'Hold', true, 'Paused AnalysisFailed 100'],
    ['is taken back', 'Rollback', true, 'Reverted VersionBlocked 0'],
    ['is taken back when nobody says', undefined, true, 'Reverted VersionBlocked 0'],
  ] as const)('%s', (_, onFailure, isSwitched, want) => {
    const blueGreen = { steps, ...(onFailure === undefined ? {} : { onFailure }) };
    const simulation = rolling({}, { type: 'BlueGreen', blueGreen });
    if (isSwitched) {
      simulation.conclude('Successful');
      simulation.pass(60_000);
    }
    simulation.conclude('Failed');
    simulation.run();
    expect(stands(simulation)).toBe(want);
  });
});

it('a promote about the background is over once that is measured again, and finishes no step', () => {
  const simulation = failed({
    onFailure: 'Hold',
    steps: [{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }, { pause: {} }],
    analysis: { ...analysis, startingStep: 0 },
  });
  for (const name of ['pause', 'promote', 'retry', 'resume'] as const) asked(simulation, name);
  simulation.pass(60_000);
  expect(stands(simulation)).toBe('Paused WaitingForResume 20');
});

it('a promote from before a step has failed does not continue without it', () => {
  const simulation = rolling({ onFailure: 'Hold', steps: around({ analysis }) });
  asked(simulation, 'pause');
  asked(simulation, 'promote');
  simulation.conclude('Failed');
  simulation.run();
  asked(simulation, 'resume');
  simulation.pass(60_000);
  expect(stands(simulation)).toBe('Paused AnalysisFailed 20');
  expect(asked(simulation, 'promote')).toBe('Completed Serving 100');
});
