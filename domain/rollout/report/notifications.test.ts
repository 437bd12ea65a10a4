import { expect, it } from 'vitest';
import type { CellStatus } from '../../../crds/cell.ts';
import { notificationOf } from './notifications.ts';

const status: CellStatus = { desiredVersion: '2.0.0', stableVersion: '1.0.0', canaryWeight: 20 };
const of = { key: { namespace: 'shop', name: 'web' }, uid: 'uid', status };

it.each([
  ['Normal', 'RolloutStarted', 'Started'],
  ['Warning', 'UnhealthyTargets', 'Held'],
  ['Warning', 'Throttled', 'Held'],
  ['Normal', 'WaitingForFreeze', 'Held'],
  ['Normal', 'WaitingForApproval', 'NeedsApproval'],
  ['Normal', 'WaitingForResume', 'NeedsApproval'],
  ['Warning', 'RolloutFailed', 'Failed'],
  ['Warning', 'WeightsReverted', 'Reverted'],
  ['Normal', 'RolloutWithdrawn', 'Withdrawn'],
  ['Normal', 'RolloutCompleted', 'Completed'],
  ['Normal', 'WeightsShifted', undefined],
  ['Normal', 'StepCompleted', undefined],
  ['Warning', 'UnknownSignal', undefined],
] as const)('the %s Event %s is of the kind %s', (type, reason, kind) => {
  expect(notificationOf(of, { id: '7', type, reason, message: 'Said.' })?.kind).toBe(kind);
});

it('has the versions and the weight of the status', () => {
  const event = { id: '7', type: 'Warning', reason: 'RolloutFailed', message: 'Said.' } as const;
  expect(notificationOf(of, event)).toEqual({
    id: 'uid/7',
    kind: 'Failed',
    namespace: 'shop',
    name: 'web',
    reason: 'RolloutFailed',
    message: 'Said.',
    desiredVersion: '2.0.0',
    stableVersion: '1.0.0',
    canaryWeight: 20,
  });
});
