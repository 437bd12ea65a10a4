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
  const notification = notificationOf(of, { id: '7', type, reason, message: 'Said.' });
  expect(notification?.kind).toBe(kind);
  if (kind !== undefined)
    expect(notification).toEqual({
      id: 'uid/7',
      kind,
      namespace: 'shop',
      name: 'web',
      reason,
      message: 'Said.',
      desiredVersion: '2.0.0',
      stableVersion: '1.0.0',
      canaryWeight: 20,
    });
});
