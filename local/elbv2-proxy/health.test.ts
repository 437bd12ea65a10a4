import { describe, expect, it } from 'vitest';
import { drained, showHealth, viewTargets } from './health.ts';
import { type Fields, text } from './protocol/fields.ts';

const target = (Id: string, State = 'healthy', Reason?: string): Fields => ({
  Target: { Id, Port: '80' },
  TargetHealth: Reason === undefined ? { State } : { State, Reason },
});

const show = (...given: Parameters<typeof showHealth>): string[] =>
  viewTargets(showHealth(...given)).map((one) => `${one.id} ${one.state} ${one.reason ?? ''}`.trim());

const two = [target('10.0.0.2'), target('10.0.0.1')];

describe('showHealth', () => {
  it('shows targets as unused while nothing routes to their group', () => {
    expect(show(two, false, undefined)).toEqual([
      '10.0.0.2 unused Target.NotInUse',
      '10.0.0.1 unused Target.NotInUse',
    ]);
  });

  it('shows targets as unused even when a test has made them unhealthy', () => {
    expect(show(two, false, { state: 'unhealthy' })).toEqual([
      '10.0.0.2 unused Target.NotInUse',
      '10.0.0.1 unused Target.NotInUse',
    ]);
  });

  it('shows targets as healthy, without reason, once the group is in use', () => {
    expect(show(two, true, undefined)).toEqual(['10.0.0.2 healthy', '10.0.0.1 healthy']);
  });

  it.each([
    [{ state: 'unhealthy' as const }, 'unhealthy Target.FailedHealthChecks'],
    [{ state: 'unhealthy' as const, reason: 'Target.Timeout' }, 'unhealthy Target.Timeout'],
    [{ state: 'initial' as const }, 'initial Elb.InitialHealthChecking'],
    [{ state: 'draining' as const }, 'draining Target.DeregistrationInProgress'],
    [{ state: 'unavailable' as const }, 'unavailable Target.HealthCheckDisabled'],
    [{ state: 'healthy' as const }, 'healthy'],
  ])('shows targets as set: %j', (setting, want) => {
    expect(show([target('10.0.0.1')], true, setting)).toEqual([`10.0.0.1 ${want}`]);
  });

  it('sets the first targets by id and leaves the others healthy', () => {
    expect(show(two, true, { state: 'unhealthy', count: 1 })).toEqual([
      '10.0.0.2 healthy',
      '10.0.0.1 unhealthy Target.FailedHealthChecks',
    ]);
  });

  it('leaves targets that are not registered as the emulator shows them', () => {
    const gone = [target('10.0.0.9', 'unused', 'Target.NotRegistered')];
    expect(show(gone, true, { state: 'unhealthy' })).toEqual(['10.0.0.9 unused Target.NotRegistered']);
  });

  const known = {
    registered: () => ({ AvailabilityZone: 'us-east-1c' }),
    isInitial: ({ Id }: Fields) => Id === '10.0.0.1',
    isElsewhere: ({ Id }: Fields) => Id === '10.0.0.2',
  };

  it('shows targets as initial while their first checks are under way, and as unused in another zone', () => {
    expect(show(two, true, undefined, known)).toEqual([
      '10.0.0.2 unused Target.NotInUse',
      '10.0.0.1 initial Elb.InitialHealthChecking',
    ]);
  });

  it('shows what a test has set instead of initial', () => {
    expect(show([target('10.0.0.1')], true, { state: 'unavailable' }, known)).toEqual([
      '10.0.0.1 unavailable Target.HealthCheckDisabled',
    ]);
  });

  it('shows the zone that a target was registered with', () => {
    expect(showHealth([target('10.0.0.1')], true, undefined, known)[0]?.['Target']).toEqual({
      Id: '10.0.0.1',
      Port: '80',
      AvailabilityZone: 'us-east-1c',
    });
  });
});

describe('drained', () => {
  const keyOf = (one: Fields): string => text(one, 'Id') ?? '';
  const leaving = [{ key: '10.0.0.9', target: { Id: '10.0.0.9', Port: '80' }, at: 0 }];

  it('adds the targets that are leaving', () => {
    const all = drained([target('10.0.0.1')], leaving, { keyOf, isFiltered: false });
    expect(viewTargets(all)).toEqual([
      { id: '10.0.0.1', state: 'healthy' },
      { id: '10.0.0.9', state: 'draining', reason: 'Target.DeregistrationInProgress' },
    ]);
  });

  it('adds none to those that a caller has named', () => {
    const asked = [target('10.0.0.9', 'unused', 'Target.NotRegistered'), target('10.0.0.1')];
    expect(
      viewTargets(drained(asked, leaving, { keyOf, isFiltered: true })).map(({ state }) => state),
    ).toEqual(['draining', 'healthy']);
  });
});
