import { describe, expect, it } from 'vitest';
import type { CanaryStep, CellSpec } from '../../../crds/cell.ts';
import type { RequestName } from '../../model/request.ts';
import { refusal } from '../../model/requests.ts';
import { inRollout } from '../record/record.ts';
import { asked, rollingOut, stands } from '../../testing/rolling-out.ts';
import type { Simulation } from '../../testing/simulation.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const analysis = { templates: [{ templateName: 'rate' }] };
const steps: CanaryStep[] = [{ setWeight: 50 }, { pause: {} }];
const bake = { duration: '1h', analysis };

/** A rollout of 2.0.0 at its pause, which is to bake. */
function rolling(spec: Partial<CellSpec> = {}): Simulation {
  const simulation = rollingOut({
    settle: '10m',
    updateStrategy: { type: 'Canary', canary: { steps }, bake },
    ...spec,
  });
  simulation.pass(11 * MINUTE);
  expect(stands(simulation)).toBe('Paused WaitingForResume 50');
  return simulation;
}

/** How it stands just before it has baked for as long as it is to, and then. */
function wholeBake(simulation: Simulation): readonly string[] {
  simulation.pass(59 * MINUTE);
  const before = stands(simulation);
  simulation.pass(MINUTE);
  return [before, stands(simulation)];
}

const WHOLE = ['Progressing WaitingForBake 100', 'Completed Serving 100'];

describe('a promote after the last step', () => {
  it('is refused, and takes nothing of the bake', () => {
    const simulation = rolling();
    expect(asked(simulation, 'promote')).toBe('Progressing WaitingForSettle 100');
    expect(refusal(simulation.state, 'promote')).toMatch(
      /No step is left to finish: 2\.0\.0 is getting all traffic/,
    );
    asked(simulation, 'promote');
    simulation.pass(10 * MINUTE);
    expect(wholeBake(simulation)).toEqual(WHOLE);
  });

  it('takes nothing of the bake when it was asked for during steps that are left out', () => {
    const simulation = rolling();
    expect(asked(simulation, 'promoteFull')).toBe('Progressing WaitingForSettle 100');
    asked(simulation, 'promote');
    simulation.pass(10 * MINUTE);
    expect(wholeBake(simulation)).toEqual(WHOLE);
  });

  it('takes nothing of the bake where nothing else is left to do before it', () => {
    const canary = { steps: [{ setWeight: 100 }, { pause: {} }] };
    const simulation = rollingOut({ updateStrategy: { type: 'Canary', canary, bake } });
    simulation.pass(MINUTE);
    expect(stands(simulation)).toBe('Paused WaitingForResume 100');
    expect(asked(simulation, 'promoteFull')).toBe('Progressing WaitingForBake 100');
    expect(wholeBake(simulation)).toEqual(WHOLE);
  });

  it('ends the bake once it has begun', () => {
    const simulation = rolling();
    asked(simulation, 'promote');
    simulation.pass(11 * MINUTE);
    expect(asked(simulation, 'promote')).toBe('Completed Serving 100');
  });
});

it('a promote is about the steps that there were, and not about those of an edit', () => {
  const templates = (templateName: string) => ({ analysis: { templates: [{ templateName }] } });
  const strategy = (templateName: string) => ({
    type: 'Canary' as const,
    canary: { steps: [templates(templateName), { setWeight: 50 }] },
  });
  const simulation = rollingOut({ updateStrategy: strategy('lax') });
  simulation.run();
  asked(simulation, 'pause');
  asked(simulation, 'promote');
  simulation.edit((spec) => ({ ...spec, updateStrategy: strategy('strict') }));
  simulation.wake();
  expect(asked(simulation, 'resume')).toBe('Progressing WaitingForAnalysis 0');
});

describe('a bake whose analysis is inconclusive', () => {
  const undecided = (ask: RequestName): Simulation => {
    const simulation = rolling();
    asked(simulation, ask);
    simulation.pass(15 * MINUTE);
    expect(stands(simulation)).toBe('Progressing WaitingForBake 100');
    simulation.conclude('Inconclusive');
    simulation.pass(DAY);
    return simulation;
  };

  it.each(['resume', 'promoteFull'] as const)('holds after a %s of before it', (ask) =>
    expect(stands(undecided(ask))).toBe('Paused WaitingForVerdict 100'),
  );

  it('is not ended by a resume, though the step that was left out is a pause', () => {
    const simulation = undecided('promoteFull');
    expect(refusal(simulation.state, 'resume')).toMatch(/not paused/);
    expect(asked(simulation, 'resume')).toBe('Paused WaitingForVerdict 100');
  });

  it.each(['promote', 'promoteFull'] as const)('is ended by a %s', (ask) =>
    expect(asked(undecided('promoteFull'), ask)).toBe('Completed Serving 100'),
  );

  it('is ended when bake is removed', () => {
    const simulation = undecided('resume');
    simulation.edit((spec) => ({ ...spec, updateStrategy: { type: 'Canary', canary: { steps } } }));
    simulation.wake();
    simulation.run();
    expect(stands(simulation)).toBe('Completed Serving 100');
  });

  it('is watched once more for the whole time by a retry, however late that comes', () => {
    const simulation = undecided('resume');
    expect(asked(simulation, 'retry')).toBe('Progressing WaitingForBake 100');
    expect(simulation.status.rollout?.stepEndsAt).toBe(new Date(simulation.now + 60 * MINUTE).toISOString());
    expect(wholeBake(simulation)).toEqual(WHOLE);
  });
});

describe('a bake whose analysis cannot be started', () => {
  const unwatched = (more: object = {}): Simulation => {
    const updateStrategy = { type: 'Canary' as const, canary: { steps, ...more }, bake };
    const simulation = rolling({ progressDeadline: '2h', updateStrategy });
    simulation.lacksTemplatesInBackground = true;
    asked(simulation, 'resume');
    simulation.pass(DAY);
    expect(stands(simulation)).toBe('Progressing AnalysisTemplateNotFound 100');
    return simulation;
  };

  it.each([
    ['promote', 'Completed Serving 100'],
    ['promoteFull', 'Completed Serving 100'],
    ['abort', 'Reverted VersionBlocked 0'],
  ] as const)('is ended by a request: %s', (name, want) => expect(asked(unwatched(), name)).toBe(want));

  it('is ended when bake is removed', () => {
    const simulation = unwatched();
    simulation.edit((spec) => ({ ...spec, updateStrategy: { type: 'Canary', canary: { steps } } }));
    simulation.wake();
    simulation.run();
    expect(stands(simulation)).toBe('Completed Serving 100');
  });

  it.each([
    ['', {}],
    [', after one of the steps was ended', { analysis: { ...analysis, startingStep: 0 } }],
  ])('lasts as long as it is to once it could be started%s', (_, more) => {
    const simulation = unwatched(more);
    simulation.lacksTemplatesInBackground = false;
    simulation.wake();
    simulation.run();
    expect(wholeBake(simulation)).toEqual(WHOLE);
  });
});

it('a bake that a release before has begun lasts no longer than it was to', () => {
  const simulation = rolling();
  asked(simulation, 'resume');
  simulation.pass(11 * MINUTE);
  simulation.state = inRollout(simulation.state, ({ progress, ...rollout }) => ({
    ...rollout,
    progress: progress.is === 'Baking' ? { is: 'Baking', since: progress.since } : progress,
  }));
  simulation.pass(59 * MINUTE);
  expect(stands(simulation)).toBe('Completed Serving 100');
});
