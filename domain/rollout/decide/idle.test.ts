import { describe, expect, it } from 'vitest';
import { decide } from './decide.ts';
import { announceWait } from '../record/record.ts';
import { recordPruned } from '../record/measurement.ts';
import { initialState, type RolloutState } from '../../model/state.ts';
import { statusOf } from '../report/status.ts';
import { aCell, arnOf, NO_TIME, weightsOf } from '../../testing/builders.ts';
import { rollingOut, stands } from '../../testing/rolling-out.ts';
import type { Simulation } from '../../testing/simulation.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;
const endedAt = (minutesAgo: number): string => new Date(NOW - minutesAgo * MINUTE).toISOString();
const change = { version: '2.0.0', outcome: 'Completed', message: '', startedAt: endedAt(30) } as const;

/** A Cell that was rolled out from 1.0.0 to 2.0.0 some minutes ago. */
const replaced = (minutesAgo: number) => replacedAt(endedAt(minutesAgo));
const replacedAt = (time: string) =>
  aCell()
    .withGroups('1.0.0', 'a')
    .withGroups('2.0.0', 'b')
    .withStatus({ stableVersion: '2.0.0', history: [{ ...change, endedAt: time }] })
    .serving({ a: 0, b: 100 });

const looked = (unhealthyARNs: readonly string[] = []): RolloutState => ({
  ...initialState,
  idle: { targetGroupARNs: [arnOf('a')], since: NOW, at: NOW, unhealthyARNs },
});

describe('a settled Cell with groups at weight 0', () => {
  it.each([
    ['looks at them first', replaced(1), initialState, 'CheckHealth'],
    ['keeps them for ten minutes', replaced(1), looked(), 'Wait for Detach'],
    ['keeps them since it saw them, without a time', replacedAt(NO_TIME), looked(), 'Wait for Detach'],
    ['takes them out afterwards', replaced(10), looked(), 'DetachingTargetGroups {"b":100}'],
    [
      'takes out at once what has no healthy target',
      replaced(1),
      looked([arnOf('a')]),
      'DetachingTargetGroups {"b":100}',
    ],
  ] as const)('%s', (_, cell, state, want) => {
    const decision = decide(cell.seen(), state, NOW);
    const told =
      decision.do === 'Shift'
        ? `${decision.purpose} ${JSON.stringify(weightsOf(decision.shares))}`
        : decision.do === 'Wait'
          ? `Wait for ${decision.for}`
          : decision.do;
    expect(told).toBe(want);
  });

  it.each([
    ['they wait', replaced(1), looked()],
    ['they are taken out', replaced(10), looked()],
  ] as const)('stands as it did while %s', (_, builder, state) => {
    const observed = builder.seen();
    const { cell } = observed;
    if (cell === undefined) throw new Error('Expected a Cell, got none.');
    const decision = decide(observed, state, NOW);
    const workflow = { workflowId: 'cell/default/web', runId: 'run-1' };
    const status = statusOf({ observed, cell, state, decision, workflow, now: NOW });
    expect(status).toMatchObject({
      phase: 'Completed',
      reason: 'Serving',
      message: '2.0.0 serves all traffic.',
      desiredVersion: '2.0.0',
    });
    const conditions = status.conditions?.map(({ type, status: holds }) => `${type} ${holds}`);
    expect(conditions).toEqual([
      'Ready True',
      'Progressing False',
      'Degraded False',
      'TargetGroupsAccepted True',
    ]);
    expect(status.conditions?.at(-1)?.message).toBe(
      'Every selected AWSTargetGroup has a usable version, and an ARN of its own.',
    );
  });

  it('lacks nothing any more once what has measured is deleted, which was refused before', () => {
    const observed = replaced(1).seen();
    const { cell } = observed;
    if (cell === undefined) throw new Error('Expected a Cell, got none.');
    const refused = { reason: 'AccessDenied', message: 'No.', since: 0, attempts: 1, until: NOW } as const;
    const backoff = { ...refused, during: 'Prune', quiet: true } as const;
    const state = recordPruned({ ...looked(), hasMeasured: true, backoff });
    const decision = decide(observed, state, NOW);
    const workflow = { workflowId: 'cell/default/web', runId: 'run-1' };
    const status = statusOf({ observed, cell, state, decision, workflow, now: NOW });
    expect(status.conditions?.find(({ type }) => type === 'Degraded')).toMatchObject({ status: 'False' });
  });

  it('tells once what it lacks, also while the status cannot be written', () => {
    const observed = replaced(1).withSpec({ version: '9.9.9' }).seen();
    const decision = decide(observed, looked(), NOW);
    expect(decision).toMatchObject({ do: 'Wait', for: 'Detach' });
    const once = announceWait(looked(), decision, observed);
    const message = '2.0.0 serves. Waiting: 0 of 1 target groups at 9.9.9.';
    expect(once.events).toEqual([{ id: '0', type: 'Normal', reason: 'NotEnoughTargetGroups', message }]);
    expect(announceWait(once, decision, observed)).toEqual(once);
  });
});

describe('groups at weight 0 that ELBv2 does not let leave', () => {
  it('are tried again less and less often, with what is served put back in between', () => {
    const simulation = rollingOut();
    simulation.pass(9 * MINUTE);
    expect(stands(simulation)).toBe('Completed Serving 100');
    simulation.refusals = Infinity;
    simulation.pass(2 * MINUTE);
    expect(simulation.isApplied).toBe(true);
    simulation.events = 0;
    simulation.pass(60 * MINUTE);
    // Some tries in each minute, each of which is put back.
    expect(simulation.events).toBeLessThan(60 * 5 * 25);
    expect(stands(simulation)).toBe('Completed Serving 100');
    simulation.refusals = 0;
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toEqual({ b: 100 });
  });
});

describe('a group at weight 0 whose AWSTargetGroup is gone while a newer version is held, or does not fit', () => {
  const freezes = [{ name: 'all', by: 'ops', reason: 'Friday.' }];
  it.each([
    ['Waiting WaitingForFreeze', freezes, ['c']],
    ['Failed TooManyTargetGroups', [], ['c', 'd', 'e', 'f', 'g']],
  ])('leaves, however often that is refused (%s)', (held, frozen, newer) => {
    const simulation = rollingOut();
    simulation.pass(MINUTE);
    simulation.freezes = frozen;
    simulation.provision('3.0.0', ...newer);
    simulation.groups = simulation.groups.filter(({ name }) => name !== 'a');
    simulation.refusals = Infinity;
    simulation.wake();
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toEqual({ a: 0, b: 100 });
    expect(stands(simulation)).toBe(`${held} 100`);
    simulation.events = 0;
    simulation.pass(60 * MINUTE);
    expect(simulation.events).toBeLessThan(60 * 200);
    simulation.refusals = 0;
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toEqual({ b: 100 });
    expect(stands(simulation)).toBe(`${held} 100`);
    expect(simulation.status.desiredVersion).toBe('2.0.0');
  });

  it('leaves only once it is known what is served', () => {
    const simulation = rollingOut();
    simulation.pass(MINUTE);
    simulation.freezes = freezes;
    simulation.provision('3.0.0', 'c');
    simulation.groups = simulation.groups.filter(({ name }) => name !== 'b');
    simulation.lateRefusals = 1;
    simulation.wake();
    simulation.pass(10_000);
    expect(simulation.state.mayDiffer).toBe(true);
    simulation.groups = simulation.groups.filter(({ name }) => name !== 'a');
    simulation.wake();
    simulation.pass(MINUTE);
    const purposes = simulation.writes.map(({ shift }) => shift.purpose);
    expect(purposes.at(-1)).toBe('FallingBack');
    // What the status says has left the rule and is not checked any more, so that what is served is taken over.
    expect(weightsOf(simulation.served)).toEqual({ a: 100 });
    expect(simulation.isApplied).toBe(true);
  });
});

describe('groups at weight 0 while a newer version is held, or does not fit', () => {
  const freezes = [{ name: 'all', by: 'ops', reason: 'Friday.' }];

  /** 2.0.0 has just replaced 1.0.0, whose group a waits at weight 0. */
  function held(frozen: typeof freezes, newer: readonly string[]): Simulation {
    const simulation = rollingOut();
    simulation.pass(MINUTE);
    simulation.freezes = frozen;
    simulation.provision('3.0.0', ...newer);
    simulation.wake();
    simulation.pass(MINUTE);
    expect(weightsOf(simulation.served)).toEqual({ a: 0, b: 100 });
    return simulation;
  }

  describe.each([
    ['Waiting WaitingForFreeze', freezes, ['c']],
    ['Failed TooManyTargetGroups', [], ['c', 'd', 'e', 'f', 'g']],
  ])('%s', (stand, frozen, newer) => {
    it('leave after a while', () => {
      const simulation = held(frozen, newer);
      simulation.pass(7 * MINUTE);
      expect(weightsOf(simulation.served)).toEqual({ a: 0, b: 100 });
      simulation.pass(4 * MINUTE);
      expect(weightsOf(simulation.served)).toEqual({ b: 100 });
      expect(stands(simulation)).toBe(`${stand} 100`);
    });

    it('leave as soon as they have no healthy target', () => {
      const simulation = held(frozen, newer);
      simulation.unhealthy.add(arnOf('a'));
      simulation.pass(3 * MINUTE);
      expect(weightsOf(simulation.served)).toEqual({ b: 100 });
      expect(stands(simulation)).toBe(`${stand} 100`);
    });

    it('are tried again less and less often while ELBv2 does not let them leave', () => {
      const simulation = held(frozen, newer);
      simulation.refusals = Infinity;
      simulation.pass(12 * MINUTE);
      simulation.events = 0;
      simulation.pass(60 * MINUTE);
      expect(simulation.events).toBeLessThan(60 * 200);
      expect(stands(simulation)).toBe(`${stand} 100`);
      simulation.refusals = 0;
      simulation.pass(MINUTE);
      expect(weightsOf(simulation.served)).toEqual({ b: 100 });
    });
  });
});
