import type { CellStatus } from '../../../crds/cell.ts';
import { given } from '../../model/fields.ts';
import type { ObjectKey } from '../../model/ids.ts';
import type { ReportedEvent } from './events.ts';

/** What people may want to be notified of. */
export const notificationKinds = [
  'Started',
  'Held',
  'NeedsApproval',
  'Failed',
  'Reverted',
  'Withdrawn',
  'Completed',
] as const;

export type NotificationKind = (typeof notificationKinds)[number];

/** An Event of a Cell as others are notified of it. */
export interface Notification {
  /** Unique to the Event; a repeated report has the same. */
  readonly id: string;
  readonly kind: NotificationKind;
  readonly namespace: string;
  readonly name: string;
  readonly reason: string;
  readonly message: string;
  readonly desiredVersion?: string;
  readonly stableVersion?: string;
  readonly canaryWeight?: number;
}

const kinds: Readonly<Record<string, NotificationKind>> = {
  RolloutStarted: 'Started',
  RolloutCompleted: 'Completed',
  RolloutFailed: 'Failed',
  RolloutWithdrawn: 'Withdrawn',
  WeightsReverted: 'Reverted',
  WaitingForApproval: 'NeedsApproval',
  WaitingForResume: 'NeedsApproval',
  WaitingForFreeze: 'Held',
  WaitingForWindow: 'Held',
  WaitingForClusters: 'Held',
  WaitingForApplication: 'Held',
};

/** Warnings that hold nothing: something was said, or asked for, in vain. */
const harmless: ReadonlySet<string> = new Set(['UnknownSignal', 'ApprovalRefused']);

function kindOf({ type, reason }: ReportedEvent): NotificationKind | undefined {
  if (Object.hasOwn(kinds, reason)) return kinds[reason];
  // Each other warning says why a Cell does not continue.
  return type === 'Warning' && !harmless.has(reason) ? 'Held' : undefined;
}

/** Makes a notification of an Event of a Cell; undefined when it is only a step on the way. */
export function notificationOf(
  { key, uid, status }: { readonly key: ObjectKey; readonly uid: string; readonly status: CellStatus },
  event: ReportedEvent,
): Notification | undefined {
  const kind = kindOf(event);
  if (kind === undefined) return undefined;
  const { desiredVersion, stableVersion, canaryWeight } = status;
  return {
    id: `${uid}/${event.id}`,
    kind,
    ...key,
    reason: event.reason,
    message: event.message,
    ...given({ desiredVersion, stableVersion, canaryWeight }),
  };
}
