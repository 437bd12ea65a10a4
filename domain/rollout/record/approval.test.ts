import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CanaryStep, CellSpec } from '../../../crds/cell.ts';
import { rollingOut } from '../../testing/rolling-out.ts';
import type { Simulation } from '../../testing/simulation.ts';
import { claimFrom, countApproval, refusalToApprove, refusedApproval, standOf } from './approval.ts';

const approval = (count: number, more: object = {}): CanaryStep => ({
  approval: { groups: ['release'], count, ...more },
});
const STEPS: readonly CanaryStep[] = [{ setWeight: 20 }, approval(2), { setWeight: 50 }];

/** A rollout of 2.0.0 that has gone as far as it goes without anybody. */
function rolling(steps: readonly CanaryStep[] = STEPS, canary: object = {}): Simulation {
  const spec: Partial<CellSpec> = {
    settle: '0s',
    updateStrategy: { type: 'Canary', canary: { steps: [...steps], ...canary } },
  };
  const simulation = rollingOut(spec);
  simulation.run();
  return simulation;
}

const stands = ({ status }: Simulation): string =>
  `${status.phase} ${status.reason} ${status.canaryWeight ?? '-'}`;
describe('a step that takes approvals', () => {
  it('holds the weight until two different people have approved, and says who is lacking', () => {
    const simulation = rolling();
    expect(stands(simulation)).toBe('Paused WaitingForApproval 20');
    expect(simulation.status.approval).toEqual({ groups: ['release'], count: 2, lacking: 2 });
    expect(simulation.approve('ann', 'release')).toBeUndefined();
    simulation.pass(86_400_000);
    expect(stands(simulation)).toBe('Paused WaitingForApproval 20');
    expect(simulation.status.message).toBe('Waiting for 1 of 2 approvals from release. Approved by ann.');
    expect(simulation.status.approval).toMatchObject({ lacking: 1, approvals: [{ by: 'ann', reason: '' }] });
    expect(simulation.approve('ann', 'release')).toBe(
      'ann has already approved (1 of 2); another person must approve.',
    );
    expect(simulation.approve('cleo', 'others')).toBe(
      'cleo cannot approve: must be a member of one of release.',
    );
    expect(simulation.approve('bob', 'others', 'release')).toBeUndefined();
    simulation.run();
    expect(simulation.status.phase).toBe('Completed');
    expect(simulation.status.approval).toBeUndefined();
    expect(simulation.status.history?.[0]?.requests?.map(({ action, by }) => `${action} ${by}`)).toEqual([
      'approve ann',
      'approve bob',
    ]);
  });

  it('is not ended by promote, resume or promoteFull, and an abort goes before it', () => {
    const simulation = rolling();
    for (const request of ['promote', 'resume', 'promoteFull'] as const) {
      simulation.ask(request);
      simulation.pass(60_000);
      expect(stands(simulation)).toBe('Paused WaitingForApproval 20');
    }
    simulation.ask('abort');
    simulation.run();
    expect(stands(simulation)).toMatch(/^Reverted VersionBlocked 0/);
    expect(simulation.approve('ann', 'release')).toBe('No rollout is running; the Cell is Reverted.');
  });

  it('stops a promoteFull at the weight that the steps before it lead to, each time', () => {
    const simulation = rolling([
      { setWeight: 10 },
      { pause: {} },
      { setWeight: 30 },
      { pause: {} },
      approval(1),
      { setWeight: 60 },
      approval(1),
    ]);
    simulation.ask('promoteFull');
    simulation.run();
    expect(stands(simulation)).toBe('Paused WaitingForApproval 30');
    simulation.approve('ann', 'release');
    simulation.run();
    expect(stands(simulation)).toBe('Paused WaitingForApproval 60');
    simulation.approve('ann', 'release');
    simulation.run();
    expect(simulation.status.phase).toBe('Completed');
  });

  it('may be approved during a pause, and continues once that is over', () => {
    const simulation = rolling([{ setWeight: 20 }, approval(1)]);
    simulation.ask('pause');
    simulation.run();
    expect(simulation.approve('ann', 'release')).toBeUndefined();
    simulation.run();
    expect(stands(simulation)).toBe('Paused WaitingForResume 20');
    simulation.ask('resume');
    simulation.run();
    expect(simulation.status.phase).toBe('Completed');
  });

  it('fails when the time is over, and what comes then is too late', () => {
    const simulation = rolling([{ setWeight: 20 }, approval(2, { timeout: '1h' })]);
    simulation.approve('ann', 'release');
    simulation.pass(3_599_000);
    expect(stands(simulation)).toBe('Paused WaitingForApproval 20');
    expect(simulation.status.rollout?.stepEndsAt).toBeDefined();
    simulation.pass(1_000);
    expect(stands(simulation)).toMatch(/^Reverted VersionBlocked 0/);
    expect(simulation.status.blockedVersions?.[0]?.cause).toBe(
      'Only 1 of 2 approvals by people in release came within 1h.',
    );
    expect(simulation.approve('bob', 'release')).toContain('No rollout is running');
  });

  it('counts the last approval that comes in time, though it is taken up when the time is over', () => {
    const simulation = rolling([{ setWeight: 20 }, approval(1, { timeout: '1h' })]);
    simulation.now += 3_600_000;
    simulation.approve('ann', 'release');
    simulation.run();
    expect(simulation.status.phase).toBe('Completed');
  });

  it('with onFailure: Hold waits on when the time is over', () => {
    const simulation = rolling([{ setWeight: 20 }, approval(1, { timeout: '1h' })], { onFailure: 'Hold' });
    simulation.pass(3_600_000);
    expect(stands(simulation)).toBe('Paused ApprovalTimedOut 20');
    expect(simulation.status.message).toContain(
      ' On hold, because onFailure is Hold. Continues when it is approved',
    );
    simulation.ask('promote');
    simulation.ask('retry');
    simulation.run();
    expect(stands(simulation)).toBe('Paused ApprovalTimedOut 20');
    simulation.approve('ann', 'release');
    simulation.run();
    expect(simulation.status.phase).toBe('Completed');
  });

  it('takes none before it is reached, nor those of another version or of steps that were edited', () => {
    const simulation = rolling([{ setWeight: 20 }, { pause: {} }, approval(1), { setWeight: 50 }]);
    expect(simulation.approve('ann', 'release')).toContain('The rollout does not wait for approval');
    simulation.ask('resume');
    simulation.run();
    const stand = standOf(simulation.state.rollout);
    const claim = { by: 'ann', groups: ['release'], reason: '', at: simulation.now };
    simulation.edit((spec) => ({
      ...spec,
      updateStrategy: {
        type: 'Canary',
        canary: { steps: [{ setWeight: 20 }, approval(1), { setWeight: 60 }] },
      },
    }));
    simulation.wake();
    simulation.run();
    expect(stands(simulation)).toBe('Paused WaitingForApproval 20');
    expect(countApproval(simulation.state, claim, stand)).toContain('The rollout does not wait');
    simulation.provision('3.0.0', 'c');
    simulation.wake();
    simulation.run();
    expect(simulation.status.desiredVersion).toBe('3.0.0');
    expect(simulation.status.approval).toEqual({ groups: ['release'], count: 1, lacking: 1 });
    expect(countApproval(simulation.state, claim, stand)).toContain('The rollout does not wait');
  });

  it('begins again with nobody when Temporal has lost the run', () => {
    const simulation = rolling();
    simulation.approve('ann', 'release');
    simulation.run();
    simulation.loseTemporal();
    simulation.run();
    expect(simulation.status.approval).toMatchObject({ lacking: 2 });
    expect(stands(simulation)).toBe('Paused WaitingForApproval 20');
  });

  it('waits on when a promote continues without the analysis in the background', () => {
    const simulation = rolling([{ setWeight: 20 }, approval(1), { setWeight: 50 }], {
      onFailure: 'Hold',
      analysis: { templates: [{ templateName: 'rate' }], startingStep: 1 },
    });
    simulation.conclude('Failed');
    simulation.run();
    expect(stands(simulation)).toBe('Paused AnalysisFailed 20');
    simulation.ask('promote');
    simulation.run();
    expect(stands(simulation)).toBe('Paused WaitingForApproval 20');
    expect(simulation.state.requests).toEqual({});
    simulation.approve('ann', 'release');
    simulation.run();
    expect(simulation.status.phase).toBe('Completed');
  });

  it('does not count for the deadline', () => {
    const simulation = rolling();
    simulation.edit((spec) => ({ ...spec, progressDeadline: '1h' }));
    simulation.wake();
    simulation.pass(86_400_000);
    expect(stands(simulation)).toBe('Paused WaitingForApproval 20');
  });

  it('holds a blue-green rollout before its switch', () => {
    const simulation = rollingOut({
      settle: '0s',
      updateStrategy: {
        type: 'BlueGreen',
        blueGreen: { steps: [{ approval: { groups: ['release'], count: 1 } }, { promote: {} }] },
      },
    });
    simulation.run();
    expect(stands(simulation)).toBe('Paused WaitingForApproval 0');
    simulation.approve('ann', 'release');
    simulation.run();
    expect(simulation.status.phase).toBe('Completed');
  });
});

describe('an approval that an edit puts', () => {
  const edited = (before: readonly CanaryStep[], steps: readonly CanaryStep[], approved = 0): Simulation => {
    const simulation = rolling(before);
    for (const by of ['ann', 'bob'].slice(0, approved)) simulation.approve(by, 'release');
    simulation.run();
    simulation.edit((spec) => ({
      ...spec,
      updateStrategy: { type: 'Canary', canary: { steps: [...steps] } },
    }));
    simulation.wake();
    simulation.pass(60_000);
    return simulation;
  };
  const held = [approval(1), { pause: {} }];

  it.each<[string, readonly CanaryStep[], readonly CanaryStep[], number]>([
    [
      'after a weight below that of all',
      [{ setWeight: 100 }, approval(1)],
      [{ setWeight: 90 }, approval(1)],
      100,
    ],
    ['alone, where all is given', [{ setWeight: 100 }, ...held], [approval(2)], 100],
    ['before the present weight', [{ setWeight: 50 }, { pause: {} }], [approval(1), { setWeight: 50 }], 50],
    [
      'before the present weight, for more people',
      [{ setWeight: 20 }, approval(1), { setWeight: 50 }, { pause: {} }],
      [{ setWeight: 20 }, approval(2), { setWeight: 50 }, { pause: {} }],
      50,
    ],
    [
      'after a pause, before the present weight',
      [{ setWeight: 50 }, { pause: {} }],
      [{ setWeight: 20 }, { pause: { duration: 1 } }, approval(1), { setWeight: 50 }],
      50,
    ],
  ])('%s is asked for, and the weight stays', (_, before, steps, weight) => {
    const simulation = edited(before, steps, before.length > 3 ? 1 : 0);
    expect(stands(simulation)).toBe(`Paused WaitingForApproval ${weight}`);
    simulation.approve('cleo', 'release');
    simulation.approve('dan', 'release');
    simulation.pass(60_000);
    expect(stands(simulation)).not.toContain('WaitingForApproval');
  });

  it.each<[string, readonly CanaryStep[], number]>([
    [
      'that was given already',
      [{ setWeight: 20 }, approval(1), { setWeight: 50 }, { pause: { duration: '1h' } }],
      50,
    ],
    [
      'before a lower weight, which lies behind',
      [approval(2), { setWeight: 20 }, { setWeight: 50 }, { pause: { duration: '1h' } }],
      50,
    ],
  ])('%s is not asked for', (_, steps, weight) => {
    const before = [{ setWeight: 20 }, approval(1), { setWeight: 50 }, { pause: {} }];
    expect(stands(edited(before, steps, 1))).toBe(`Paused WaitingForPause ${weight}`);
  });
});

describe('steps that are edited while approvals are waited for', () => {
  const edited = (before: readonly CanaryStep[], updateStrategy: CellSpec['updateStrategy']): Simulation => {
    const simulation = rolling(before);
    simulation.edit((spec) => ({ ...spec, updateStrategy }));
    simulation.wake();
    simulation.run();
    return simulation;
  };
  const before = [{ setWeight: 20 }, approval(1), { setWeight: 50 }];
  const blueGreen = { steps: [approval(1), { promote: {} }] };

  it.each<[string, readonly CanaryStep[], CellSpec['updateStrategy']]>([
    [
      'lead to less before it',
      before,
      { type: 'Canary', canary: { steps: [{ setWeight: 10 }, approval(1), { setWeight: 50 }] } },
    ],
    [
      'lead to less in all',
      before,
      { type: 'Canary', canary: { steps: [{ setWeight: 10 }, { setWeight: 15 }, approval(1)] } },
    ],
    ['are those of a blue-green rollout', before, { type: 'BlueGreen', blueGreen }],
  ])('pass over none, where they %s', (_, steps, updateStrategy) => {
    const simulation = edited(steps, updateStrategy);
    expect(stands(simulation)).toBe('Paused WaitingForApproval 20');
    simulation.ask('promoteFull');
    simulation.run();
    expect(stands(simulation)).toBe('Paused WaitingForApproval 20');
    simulation.approve('ann', 'release');
    simulation.run();
    expect(simulation.status.phase).toBe('Completed');
  });

  it('lead a promoteFull to no less than there is already', () => {
    const steps = [{ setWeight: 10 }, { pause: {} }, approval(1), { setWeight: 50 }];
    const simulation = edited(before, { type: 'Canary', canary: { steps } });
    expect(stands(simulation)).toBe('Paused WaitingForResume 20');
    simulation.ask('promoteFull');
    simulation.run();
    expect(stands(simulation)).toBe('Paused WaitingForApproval 20');
  });
});

describe('what is sent as an approval', () => {
  const long = 'x'.repeat(1_000_000);
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['no object', 'ann'],
    ['no name', { groups: ['release'] }],
    ['an empty name', { by: '', groups: ['release'] }],
    ['a blank name', { by: '  ', groups: ['release'] }],
    ['a name of a megabyte', { by: long, groups: ['release'] }],
    ['a name of two lines', { by: 'ann\nApproved by bob', groups: ['release'] }],
    ['a name that is written backwards', { by: 'ann\u202Enna', groups: ['release'] }],
    ['a name that is no text', { by: { name: 'ann' }, groups: ['release'] }],
    ['no groups', { by: 'ann', reason: 'looks fine' }],
    ['groups that are a text', { by: 'ann', groups: 'release' }],
    ['groups of which one is no text', { by: 'ann', groups: ['release', 1] }],
    ['a group of a megabyte', { by: 'ann', groups: [long] }],
    ['more groups than anybody has', { by: 'ann', groups: Array.from({ length: 501 }, String) }],
  ])('is none with %s', (_, sent) => {
    const got = claimFrom(sent, 0);
    expect(got).toEqual(expect.stringContaining('okractl approve'));
    expect(JSON.stringify(got).length).toBeLessThan(300);
  });

  it('may say which version was looked at, and does not count for another one', () => {
    const claim = (version: unknown) => claimFrom({ by: 'ann', groups: ['release'], version }, 0);
    expect(claim('v2')).toMatchObject({ version: '2.0.0' });
    expect(claim('two')).toEqual(expect.stringContaining('1.2.3'));
    expect(claim(2)).toEqual(expect.stringContaining('1.2.3'));
    const { state } = rolling();
    const given = { by: 'ann', groups: ['release'], reason: '', at: 0 };
    expect(refusalToApprove(state, { ...given, version: '2.0.0' })).toBeUndefined();
    expect(refusalToApprove(state, { ...given, version: '1.9.0' })).toBe(
      'cannot approve 1.9.0: the rollout is of 2.0.0. Check 2.0.0 first.',
    );
  });

  it('keeps as much of the reason as the status takes', () => {
    const got = claimFrom({ by: 'ann', groups: ['release'], reason: long }, 7);
    expect(got).toMatchObject({ by: 'ann', at: 7 });
    expect(typeof got === 'string' ? undefined : got.reason.length).toBe(1_024);
  });

  it('is in no group whom Kubernetes lets do everything unasked', () => {
    const got = claimFrom({ by: 'eve', groups: ['system:masters', 'release'] }, 0);
    expect(got).toMatchObject({ groups: ['release'] });
  });

  it('may come from someone with the name of something that every object has', () => {
    const simulation = rolling();
    for (const by of ['__proto__', 'constructor']) expect(simulation.approve(by, 'release')).toBeUndefined();
    simulation.run();
    expect(simulation.status.phase).toBe('Completed');
    expect(simulation.approve('ann', '__proto__')).toBeDefined();
  });

  it('is told once when it does not count, however often it comes', () => {
    const { state } = rolling();
    const told = Array.from({ length: 9 }).reduce<typeof state>(
      (before) => refusedApproval(before, 'No.'),
      state,
    );
    expect(told.events.filter(({ reason }) => reason === 'ApprovalRefused')).toHaveLength(1);
    const flooded = Array.from({ length: 900 }).reduce<typeof state>(
      (before, _, index) => refusedApproval(before, `No ${index}.`),
      state,
    );
    expect(flooded.events.length).toBeLessThanOrEqual(50);
    expect(refusalToApprove(state, { by: 'ann', groups: ['__proto__'], reason: '', at: 0 })).toContain(
      'must be a member',
    );
  });
});

const people = ['ann', 'bob', 'cleo'] as const;
const approvals = people.flatMap((by) => [
  `approve ${by} release`,
  `approve ${by} release`,
  `approve ${by} others`,
]);
const words = [...approvals, 'promote', 'promoteFull', 'resume', 'pause', 'retry', 'wake', 'pass', 'lose'];

describe('whatever people ask', () => {
  const steps = [
    { setWeight: 10 },
    approval(2),
    { setWeight: 40 },
    { pause: {} },
    approval(3),
    { setWeight: 70 },
  ];

  /** Does what a word says, and notes an approval that counts for the step that waits for it. */
  function hear(simulation: Simulation, word: string, approved: Map<number, Set<string>>): void {
    const [verb, by = '', group = ''] = word.split(' ');
    const { approval: waiting, currentStepIndex: index = 0 } = simulation.status;
    switch (verb) {
      case 'approve':
        simulation.approve(by, group);
        if (waiting !== undefined && group === 'release')
          approved.set(index, (approved.get(index) ?? new Set()).add(by));
        return;
      case 'wake':
        return simulation.wake();
      case 'pass':
        return simulation.pass(60_000);
      case 'lose':
        return simulation.loseTemporal();
      default:
        return simulation.ask(verb as 'promote');
    }
  }

  it('no weight comes before the approvals that it takes', () => {
    let completed = 0;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...words), { minLength: 20, maxLength: 60 }), (list) => {
        const simulation = rolling(steps);
        const approved = new Map<number, Set<string>>();
        for (const word of list) {
          hear(simulation, word, approved);
          simulation.run();
          const weight = simulation.served.find(({ name }) => name === 'b')?.weight ?? 0;
          const [first, second] = [1, 4].map((index) => approved.get(index)?.size ?? 0);
          expect({ weight, first, second }).toSatisfy(
            () => (weight <= 10 || first === 2 || first === 3) && (weight <= 40 || second === 3),
          );
          if (weight === 100) completed += 1;
        }
      }),
      { numRuns: 60, seed: 20_261_122 },
    );
    expect(completed).toBeGreaterThan(0);
  });
});
