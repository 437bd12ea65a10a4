import { describe, expect, it } from 'vitest';
import type { CellSpec } from '../../crds/cell.ts';
import { weightsOf } from '../testing/builders.ts';
import { aMinuteLater, rollingOut } from '../testing/rolling-out.ts';

const MINUTE = 60_000;
const canary = (steps: NonNullable<NonNullable<CellSpec['updateStrategy']>['canary']>['steps']) =>
  ({ type: 'Canary', canary: { steps } }) as const;

describe('a newer version that comes while the last one', () => {
  it('settles with all traffic waits, and begins from it', () => {
    const web = rollingOut({ settle: '10m', updateStrategy: canary([{ setWeight: 50 }]) });
    web.pass(12 * MINUTE);
    expect(web.status).toMatchObject({ reason: 'WaitingForSettle', canaryWeight: 100 });

    web.provision('3.0.0', 'c');
    aMinuteLater(web);
    expect(web.status).toMatchObject({ desiredVersion: '2.0.0', reason: 'WaitingForSettle' });

    web.pass(10 * MINUTE);
    expect(web.status).toMatchObject({ desiredVersion: '3.0.0', stableVersion: '2.0.0' });
    expect(web.writes.every(({ shift }) => shift.purpose !== 'Reverting')).toBe(true);
    expect(weightsOf(web.served)).toMatchObject({ b: 50, c: 50 });
  });

  it('still has steps to take supersedes it', () => {
    const web = rollingOut({ settle: '0s', updateStrategy: canary([{ setWeight: 100 }, { pause: {} }]) });
    web.pass(MINUTE);
    web.provision('3.0.0', 'c');
    aMinuteLater(web);
    expect(web.status).toMatchObject({ desiredVersion: '3.0.0', stableVersion: '1.0.0' });
  });
});

it('the time to settle does not count against the deadline', () => {
  const web = rollingOut({
    settle: '10m',
    progressDeadline: '5m',
    updateStrategy: canary([{ setWeight: 20 }, { setWeight: 50 }]),
  });
  web.pass(40 * MINUTE);
  expect(web.status).toMatchObject({ phase: 'Completed', stableVersion: '2.0.0' });
});
