import type { ObjectKey } from '../../model/ids.ts';
import { cut } from '../../text.ts';
import type { ReportedEvent } from './events.ts';

/** An event of a rollout as Datadog takes it (docs.datadoghq.com/api/latest/events). */
export interface OutsideEvent {
  readonly title: string;
  readonly text: string;
  readonly alert_type: 'info' | 'success' | 'warning' | 'error';
  readonly aggregation_key: string;
  readonly tags: readonly string[];
}

/** What is told outside: the start, each weight, the end and what takes traffic back. */
const told: Readonly<Record<string, OutsideEvent['alert_type']>> = {
  RolloutStarted: 'info',
  WeightsShifted: 'info',
  WeightsReverted: 'warning',
  RolloutCompleted: 'success',
  RolloutFailed: 'error',
  RolloutWithdrawn: 'info',
  Reverted: 'warning',
  Withdrawn: 'info',
};

// As much as Datadog takes.
const LONGEST = { title: 100, text: 4000, key: 100, tag: 200 } as const;

/** What an event of a Cell is outside; undefined when it is not told there. */
export function outsideEvent({ namespace, name }: ObjectKey, event: ReportedEvent): OutsideEvent | undefined {
  const alert = Object.hasOwn(told, event.reason) ? told[event.reason] : undefined;
  if (alert === undefined) return undefined;
  return {
    title: cut(`${event.reason}: ${namespace}/${name}`, LONGEST.title),
    text: cut(event.message === '' ? event.reason : event.message, LONGEST.text),
    alert_type: alert,
    aggregation_key: cut(`okra/${namespace}/${name}`, LONGEST.key),
    tags: [
      'source:okra',
      `okra_namespace:${namespace}`,
      `okra_cell:${name}`,
      `okra_event:${event.reason}`,
    ].map((tag) => cut(tag, LONGEST.tag)),
  };
}
