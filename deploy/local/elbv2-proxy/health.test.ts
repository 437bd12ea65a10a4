import { describe, expect, it } from 'vitest';
import { showHealth, viewTargets } from './health.ts';
import type { Fields } from './protocol/fields.ts';

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
});
