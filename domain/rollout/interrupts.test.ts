import { describe, expect, it } from 'vitest';
import type { CanaryStep, CellSpec } from '../../crds/cell.ts';
import { refusal } from '../model/requests.ts';
import { requestNames, type RequestName } from '../model/request.ts';
import type { AnalysisPhase } from './measure/analysis.ts';
import { arnOf, weightsOf } from '../testing/builders.ts';
import { aStepAnalysis } from '../testing/checks.ts';
import { aJob } from '../testing/jobs.ts';
import { rollingOut } from '../testing/rolling-out.ts';
import { Simulation } from '../testing/simulation.ts';

const analysis = { templates: [{ templateName: 'success-rate' }] };
const experiment = { duration: '10m', templates: [{ name: 'wy', specRef: 'wy', replicas: 1 }] };
const check = { name: 'dd', analysis: aStepAnalysis() };

/** A Cell that serves 1.0.0, to which 2.0.0 comes. */
function rolling(steps: readonly CanaryStep[], spec: Partial<CellSpec> = {}): Simulation {
  const simulation = rollingOut({
    updateStrategy: { type: 'Canary', canary: { steps: [...steps] } },
    ...spec,
  });
  return simulation;
}

const started = (simulation: Simulation): Simulation => {
  simulation.run();
  return simulation;
};

const updateStrategy = (more: object): Partial<CellSpec> => ({
  updateStrategy: { type: 'Canary', canary: { steps: [{ setWeight: 20 }] }, ...more },
});

const watched = updateStrategy({
  canary: { steps: [{ setWeight: 20 }, { pause: {} }], analysis: { ...analysis, startingStep: 0 } },
});

/** A rollout that waits for the data plane once the new version has everything. */
function afterTheLastStep(): Simulation {
  const simulation = started(rolling([], { ...watched, settle: '1h' }));
  simulation.pass(3_600_000);
  simulation.ask('promote');
  return started(simulation);
}

function undecided(simulation: Simulation): Simulation {
  simulation.conclude('Inconclusive', 'inBackground');
  return started(simulation);
}

/** Every kind of wait that a rollout can be in, and how it comes to be in it. */
const waits: Readonly<Record<string, () => Simulation>> = {
  'a pause that a person ends': () => started(rolling([{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }])),
  'a pause of some time': () =>
    started(rolling([{ setWeight: 20 }, { pause: { duration: '1h' } }, { setWeight: 50 }])),
  'an analysis': () => started(rolling([{ setWeight: 20 }, { analysis }, { setWeight: 50 }])),
  'an experiment': () => started(rolling([{ setWeight: 20 }, { experiment }, { setWeight: 50 }])),
  'a check': () => started(rolling([{ setWeight: 20 }, { check }, { setWeight: 50 }])),
  'a job': () => started(rolling([{ setWeight: 20 }, { job: aJob() }, { setWeight: 50 }])),
  'an inconclusive analysis': () => {
    const simulation = started(rolling([{ setWeight: 20 }, { analysis }, { setWeight: 50 }]));
    simulation.conclude('Inconclusive');
    return started(simulation);
  },
  'a job that has failed, and is held': () => {
    const steps = [{ setWeight: 20 }, { job: aJob() }, { setWeight: 50 }];
    const simulation = started(rolling([], updateStrategy({ canary: { onFailure: 'Hold', steps } })));
    simulation.conclude('Failed');
    return started(simulation);
  },
  'targets that are not healthy': () => {
    const simulation = rolling([{ setWeight: 20 }]);
    simulation.unhealthy.add(arnOf('b'));
    return started(simulation);
  },
  'the settle time': () => started(rolling([{ setWeight: 20 }, { setWeight: 50 }], { settle: '1h' })),
  'a template that is missing': () => {
    const simulation = rolling([{ setWeight: 20 }, { analysis }, { setWeight: 50 }]);
    simulation.lacksTemplates = true;
    return started(simulation);
  },
  'a write that was throttled': () => {
    const simulation = rolling([{ setWeight: 20 }]);
    simulation.refusals = 1;
    return started(simulation);
  },
  'a window': () => {
    const steps = [{ setWeight: 20 }, { pause: { duration: '2m' } }, { setWeight: 50 }];
    // Open at first, and shut before the second step.
    const simulation = rolling(steps, { windows: [{ timeZone: 'UTC', start: '09:00', end: '10:01' }] });
    simulation.pass(130_000);
    return simulation;
  },
  'a Freeze': () => {
    const simulation = rolling([{ setWeight: 20 }, { pause: { duration: '1s' } }, { setWeight: 50 }]);
    simulation.run();
    simulation.freezes = [{ name: 'all', by: 'ops', reason: 'Friday.' }];
    simulation.wake();
    simulation.pass(2_000);
    return simulation;
  },
  'the settle time after the last step': () => afterTheLastStep(),
  'an inconclusive background': () => undecided(started(rolling([], watched))),
  'an inconclusive background after the last step': () => undecided(afterTheLastStep()),
  'the end of a bake': () => {
    const simulation = started(rolling([], updateStrategy({ bake: { duration: '1h' } })));
    // What is asked for in the millisecond in which a bake begins was asked for before.
    simulation.pass(1);
    return simulation;
  },
  'an operator who paused it': () => {
    const simulation = started(rolling([{ setWeight: 20 }, { pause: { duration: '1h' } }]));
    simulation.ask('pause');
    return started(simulation);
  },
};

const measuredInVain = [
  'an inconclusive analysis',
  'a job that has failed, and is held',
  'an inconclusive background',
];

/** Where a rollout stands, in one line: its weight, and what it waits for or how it ended. */
function stands({ served, last, settled, state }: Simulation): string {
  const weight = weightsOf(served)['b'] ?? 0;
  const what =
    settled !== undefined ? `${settled.outcome} ${settled.reason}` : last.do === 'Wait' ? last.for : last.do;
  const step = state.rollout === undefined ? '' : ` at step ${state.rollout.index}`;
  return `${weight} ${what}${step}`;
}

/** Asks, and lets no time pass that a rollout could use by itself. */
function after(wait: string, action: RequestName): string {
  const simulation = waits[wait]?.();
  if (simulation === undefined) throw new Error(`Expected a kind of wait, got ${wait}.`);
  const refused = refusal(simulation.state, action);
  if (refused !== undefined) {
    const before = stands(simulation);
    simulation.ask(action);
    simulation.run();
    return stands(simulation) === before ? 'refused' : 'refused, and yet something changed';
  }
  simulation.ask(action);
  simulation.run();
  return stands(simulation);
}

describe('what an operator asks for at each kind of wait', () => {
  it.each(Object.keys(waits))('%s: an abort gives everything back at once', (wait) => {
    expect(after(wait, 'abort')).toBe('0 Reverted VersionBlocked');
  });

  it.each(Object.keys(waits))('%s: a pause holds the rollout where it is', (wait) => {
    const before = waits[wait]?.();
    const weight = before === undefined ? 0 : (weightsOf(before.served)['b'] ?? 0);
    expect(after(wait, 'pause')).toMatch(new RegExp(`^${weight} Resume`));
  });

  it.each(Object.keys(waits))(
    '%s: a retry is refused, unless something outside or a verdict holds it',
    (wait) => {
      // After the last step nothing would measure again.
      const held = ['a write that was throttled', 'a template that is missing', ...measuredInVain];
      expect(after(wait, 'retry') === 'refused').toBe(!held.includes(wait));
    },
  );

  it.each<[string, string]>([
    ['a pause that a person ends', '100 Completed Serving'],
    ['an operator who paused it', '20 Pause at step 1'],
    ...Object.keys(waits)
      .filter((wait) => wait !== 'a pause that a person ends' && wait !== 'an operator who paused it')
      .map((wait): [string, string] => [wait, 'refused']),
  ])('%s: resume comes to "%s"', (wait, want) => expect(after(wait, 'resume')).toBe(want));

  it.each<[string, string]>([
    ['a pause that a person ends', '100 Completed Serving'],
    ['a pause of some time', '100 Completed Serving'],
    ['an analysis', '100 Completed Serving'],
    ['an experiment', '100 Completed Serving'],
    ['a check', '100 Completed Serving'],
    ['a job', '100 Completed Serving'],
    ['an inconclusive analysis', '100 Completed Serving'],
    ['a job that has failed, and is held', '100 Completed Serving'],
    ['targets that are not healthy', '0 Health at step 0'],
    ['the settle time', '20 Settle at step 0'],
    ['a template that is missing', '100 Completed Serving'],
    ['a write that was throttled', '0 Backoff at step 0'],
    ['a window', '20 Window at step 2'],
    ['a Freeze', '20 Freeze at step 2'],
    // No step is left, and no bake that is to come is ended.
    ['the settle time after the last step', 'refused'],
    // It continues without the background, and the step is finished by the next one.
    ['an inconclusive background', '20 Resume at step 1'],
    ['an inconclusive background after the last step', '100 Settle at step 2'],
    ['the end of a bake', '100 Completed Serving'],
    ['an operator who paused it', '20 Resume at step 1'],
  ])('%s: promote comes to "%s"', (wait, want) => expect(after(wait, 'promote')).toBe(want));

  it.each<[string, string]>([
    ['a pause that a person ends', '100 Completed Serving'],
    ['a pause of some time', '100 Completed Serving'],
    ['an analysis', '100 Completed Serving'],
    ['an experiment', '100 Completed Serving'],
    ['a check', '100 Completed Serving'],
    ['a job', '100 Completed Serving'],
    ['an inconclusive analysis', '100 Completed Serving'],
    ['a job that has failed, and is held', '100 Completed Serving'],
    // Carried out as asked, and said in an Event.
    ['targets that are not healthy', '100 Completed Serving'],
    ['the settle time', '100 Settle at step 0'],
    ['a template that is missing', '100 Completed Serving'],
    ['a write that was throttled', '0 Backoff at step 0'],
    ['a window', '20 Window at step 2'],
    ['a Freeze', '20 Freeze at step 2'],
    ['the settle time after the last step', '100 Settle at step 2'],
    ['an inconclusive background', '100 Completed Serving'],
    ['an inconclusive background after the last step', '100 Settle at step 2'],
    ['the end of a bake', '100 Completed Serving'],
    // It ends the pause as well.
    ['an operator who paused it', '100 Completed Serving'],
  ])('%s: promoteFull comes to "%s"', (wait, want) => expect(after(wait, 'promoteFull')).toBe(want));

  it('without a rollout everything but a retry is refused', () => {
    const simulation = new Simulation();
    simulation.provision('1.0.0', 'a');
    simulation.run();
    for (const name of requestNames)
      expect(refusal(simulation.state, name) === undefined).toBe(name === 'retry');
  });
});

describe('a rollout that someone has paused', () => {
  const steps = { 'an analysis': { analysis }, 'an experiment': { experiment }, 'a check': { check } };
  const measuring = (wait: keyof typeof steps): Simulation => {
    const simulation = started(rolling([{ setWeight: 20 }, steps[wait], { setWeight: 50 }]));
    simulation.ask('pause');
    return started(simulation);
  };

  it.each(['an analysis', 'an experiment', 'a check'] as const)(
    'goes back when %s fails meanwhile',
    (wait) => {
      const simulation = measuring(wait);
      simulation.conclude('Failed');
      expect(stands(started(simulation))).toBe('0 Reverted VersionBlocked');
    },
  );

  it('goes back when a failure is not told of', () => {
    const simulation = measuring('an analysis');
    for (const [name, run] of simulation.runs) simulation.runs.set(name, { ...run, phase: 'Failed' });
    simulation.pass(60_000);
    expect(stands(simulation)).toBe('0 Reverted VersionBlocked');
  });

  it.each(['Successful', 'Inconclusive'] as const)('stays when an analysis is %s', (phase) => {
    const simulation = measuring('an analysis');
    simulation.conclude(phase);
    expect(stands(started(simulation))).toBe('20 Resume at step 1');
  });

  it('says so, whatever was refused before', () => {
    const simulation = waits['a template that is missing']?.();
    simulation?.ask('pause');
    simulation?.run();
    expect(simulation?.status).toMatchObject({ phase: 'Paused', reason: 'WaitingForResume' });
  });
});

it('is held where an older release has handed over a phase that nobody knows', () => {
  const simulation = started(rolling([{ setWeight: 20 }, { analysis }, { setWeight: 50 }]));
  simulation.conclude('Success' as AnalysisPhase);
  simulation.run();
  expect(stands(simulation)).toBe('20 Verdict at step 1');
  simulation.ask('abort');
  expect(stands(started(simulation))).toBe('0 Reverted VersionBlocked');
});

describe('an API server that refuses', () => {
  const atThePause = (): Simulation =>
    started(rolling([{ setWeight: 20 }, { pause: {} }, { setWeight: 50 }]));

  it('does not make a version forgotten that was blocked when the Cell was seen last', () => {
    const simulation = atThePause();
    simulation.isBlind = true;
    simulation.wake();
    simulation.run();
    simulation.ask('abort');
    simulation.pass(60_000);
    expect(simulation.status.blockedVersions).toMatchObject([{ version: '2.0.0' }]);
  });

  it('does not hold up an abort, whichever run hears of it', () => {
    const simulation = atThePause();
    simulation.isBlind = true;
    simulation.wake();
    simulation.pass(60_000);
    simulation.renew();
    simulation.run();
    simulation.ask('abort');
    simulation.run();
    expect(weightsOf(simulation.served)).toEqual({ a: 100, b: 0 });
  });

  it('does not make an abort forgotten of a rollout whose run was lost', () => {
    const simulation = atThePause();
    simulation.loseTemporal();
    simulation.isBlind = true;
    simulation.run();
    simulation.ask('abort');
    simulation.pass(60_000);
    simulation.isBlind = false;
    simulation.pass(60_000);
    expect(stands(simulation)).toBe('0 Reverted VersionBlocked');
  });

  it('does not have an abort meant for no rollout end the next one', () => {
    const simulation = rolling([{ setWeight: 20 }, { pause: {} }]);
    simulation.loseTemporal();
    simulation.ask('abort');
    expect(stands(started(simulation))).toBe('20 Resume at step 1');
  });

  it('does not hide that someone has given the new version everything by hand', () => {
    const simulation = started(rolling([{ setWeight: 0 }, { pause: {} }]));
    simulation.isBlind = true;
    simulation.drift(simulation.served.map((one) => ({ ...one, weight: one.name === 'b' ? 100 : 0 })));
    simulation.ask('abort');
    simulation.run();
    expect(weightsOf(simulation.served)).toEqual({ a: 100, b: 0 });
  });

  it('has a status written later that it has refused, though nothing else is to be done', () => {
    const simulation = atThePause();
    simulation.isMute = true;
    simulation.edit((spec) => ({ ...spec, healthTimeout: '11m' }));
    simulation.wake();
    simulation.run();
    simulation.isMute = false;
    simulation.pass(1_000);
    expect(simulation.status.observedGeneration).toBe(2);
  });

  it('does not keep a run that has nothing to tell any more', () => {
    const simulation = atThePause();
    simulation.isMute = true;
    simulation.edit((spec) => ({ ...spec, healthTimeout: '11m' }));
    simulation.wake();
    simulation.run();
    simulation.isDeleted = true;
    simulation.wake();
    simulation.run();
    expect(simulation.last).toMatchObject({ do: 'Close', outcome: 'Deleted' });
  });
});

describe('an edit of the spec at each kind of wait', () => {
  const edits: Readonly<Record<string, (spec: CellSpec) => CellSpec>> = {
    steps: (spec) => ({
      ...spec,
      updateStrategy: {
        ...spec.updateStrategy,
        type: 'Canary',
        canary: { steps: [{ setWeight: 30 }, { pause: {} }] },
      },
    }),
    'the version that serves': (spec) => ({ ...spec, version: '1.0.0' }),
    'the version on its way': (spec) => ({ ...spec, version: '2.0.0' }),
    replicas: (spec) => ({ ...spec, replicas: 2 }),
    conditions: (spec) => {
      const block = spec.ingress.awsApplicationLoadBalancer;
      if (block === undefined) return spec;
      const listener = { rule: { priority: 10, hosts: ['other.com'] } };
      return { ...spec, ingress: { ...spec.ingress, awsApplicationLoadBalancer: { ...block, listener } } };
    },
  };
  const edited = (wait: string, edit: string): Simulation => {
    const simulation = waits[wait]?.();
    const change = edits[edit];
    if (simulation === undefined || change === undefined) throw new Error(`Expected ${wait} and ${edit}.`);
    simulation.edit(change);
    simulation.wake();
    simulation.run();
    return simulation;
  };
  const names = Object.keys(waits);

  it.each(names)('%s: pinning what serves gives everything back, and blocks nothing', (wait) => {
    const simulation = edited(wait, 'the version that serves');
    expect(stands(simulation)).toBe('0 Completed Serving');
    expect(simulation.status.blockedVersions).toEqual([]);
    expect(simulation.status.history?.[0]?.outcome).toBe('Withdrawn');
  });

  it.each(names)('%s: pinning what is on its way changes nothing', (wait) => {
    const before = waits[wait]?.();
    const simulation = edited(wait, 'the version on its way');
    // A write that was refused is tried again by any word from outside.
    const tried = wait === 'a write that was throttled' ? '100 Completed Serving' : undefined;
    expect(stands(simulation)).toBe(tried ?? (before && stands(before)));
    expect(simulation.state.rollout?.canary.version ?? '2.0.0').toBe('2.0.0');
  });

  it.each(names)('%s: more replicas than there are leave the rollout alone', (wait) => {
    const simulation = edited(wait, 'replicas');
    expect(simulation.writes.some(({ shift }) => shift.purpose === 'Reverting')).toBe(false);
  });

  it.each(names)('%s: other conditions are one write that keeps the weights', (wait) => {
    const before = waits[wait]?.();
    const simulation = edited(wait, 'conditions');
    const isHeld = wait === 'a Freeze' || wait === 'an operator who paused it';
    const writes = simulation.writes.filter(({ shift }) => shift.purpose === 'Reconfiguring');
    expect(writes).toHaveLength(isHeld ? 0 : 1);
    for (const { shift, before: was } of writes) expect(shift.shares).toEqual(was);
    const tried = wait === 'a write that was throttled' ? 100 : undefined;
    expect(weightsOf(simulation.served)['b']).toBe(tried ?? (before && weightsOf(before.served)['b']));
  });

  it.each(names)('%s: other steps never take weight away', (wait) => {
    const before = waits[wait]?.();
    const simulation = edited(wait, 'steps');
    const weight = (of: Simulation | undefined): number =>
      of === undefined ? 0 : (weightsOf(of.served)['b'] ?? 0);
    expect(weight(simulation)).toBeGreaterThanOrEqual(weight(before));
    expect(simulation.writes.some(({ shift }) => shift.purpose === 'Reverting')).toBe(false);
  });

  it.each(names)('%s: target groups of the new version that go away take everything back', (wait) => {
    const simulation = waits[wait]?.();
    if (simulation === undefined) throw new Error(`Expected ${wait}.`);
    simulation.groups = simulation.groups.filter((group) => group.name !== 'b');
    simulation.wake();
    simulation.pass(10_000);
    expect(weightsOf(simulation.served)['b'] ?? 0).toBe(0);
    expect(weightsOf(simulation.served)['a']).toBe(100);
  });

  it.each(names)('%s: a deleted Cell writes nothing any more', (wait) => {
    const simulation = waits[wait]?.();
    if (simulation === undefined) throw new Error(`Expected ${wait}.`);
    const writes = simulation.writes.length;
    simulation.isDeleted = true;
    simulation.wake();
    simulation.run();
    expect(simulation.last).toMatchObject({ do: 'Close', outcome: 'Deleted' });
    expect(simulation.writes).toHaveLength(writes);
  });
});
