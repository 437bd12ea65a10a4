import { ACCESS_POLICY, FREEZE } from '../../clients/kubernetes/kinds.ts';
import { isForbidden, isNotFound } from '../../clients/kubernetes/kubernetes.ts';
import type { Metrics, Sample } from '../../clients/metrics/metrics.ts';
import { formatKey, keyOf } from '../../domain/model/ids.ts';
import type { View } from '../informer/store.ts';
import { sources, type KindEvent } from '../kinds.ts';

import { measuring, phases, type Measuring } from '../routes/route-measurement.ts';
import {
  changesEnded,
  heldSince,
  standingOf,
  statesOf,
  stepDone,
  word,
  type Held,
  type Standing,
} from './states.ts';

/** What is told of, besides events. */
export interface Told {
  readonly view: View;
  readonly pending: () => number;
  /** Milliseconds since the epoch. */
  readonly clock?: () => number;
}

/** Tells of what the watchers see until it is ended. */
export function tellOf(
  metrics: Pick<Metrics, 'count' | 'observe' | 'states'>,
  { view, pending, clock = Date.now }: Told,
) {
  const held = new Map<string, Held>();
  const standings = new Map<string, Standing>();
  const heardAt = new Map<string, Map<string, number>>();

  const ends = [
    metrics.states('cells', () => statesOf(view, (cell) => held.get(cell), clock())),
    metrics.states('watches', () => [
      { name: 'okra_leader', labels: {}, value: 1 },
      { name: 'okra_messages_pending', labels: {}, value: pending() },
      ...[...heardAt].map(([kind, times]): Sample => ({
        name: 'okra_watch_lag_seconds',
        labels: { kind },
        value: Math.max(0, clock() - Math.min(...times.values())) / 1000,
      })),
    ]),
  ];

  function takeCell({ event }: KindEvent<'Cell'>): void {
    const { object } = event;
    const key = formatKey(keyOf(object));
    const now = clock();
    const before = standings.get(key);
    if (event.type === 'update') {
      const step = stepDone(object, before, now);
      if (step !== undefined)
        metrics.observe('okra_step_duration_seconds', { kind: step.kind }, step.seconds);
      for (const { outcome, seconds } of changesEnded(event.old, object)) {
        metrics.observe('okra_rollout_duration_seconds', { outcome }, seconds);
        metrics.count('okra_rollouts_finished_total', { outcome });
      }
    }
    keep(held, key, event.type === 'delete' ? undefined : heldSince(object, held.get(key), now));
    const standing = event.type === 'delete' ? undefined : standingOf(object, before, now);
    // Since when a step is under way that had begun before anybody looked is not known.
    const since = event.type === 'add' ? undefined : standing?.since;
    keep(standings, key, standing && { ...standing, since });
  }

  function takeMeasurement<Kind extends Measuring>({ kind, event }: KindEvent<Kind>): void {
    if (event.type !== 'update') return;
    const [old, now] = [phases[kind](event.old), phases[kind](event.object)];
    if (isVerdict(now) && !isVerdict(old))
      metrics.count('okra_analysis_results_total', { kind, verdict: word(now ?? '') });
  }

  function heard(kind: string, namespace = ''): void {
    if (!watched.has(kind)) return;
    heardAt.set(kind, (heardAt.get(kind) ?? new Map<string, number>()).set(namespace, clock()));
  }

  function forget(kind: string, namespace = ''): void {
    const times = heardAt.get(kind);
    times?.delete(namespace);
    if (times?.size === 0) heardAt.delete(kind);
  }

  return {
    /** Learns that a kind is asked for, in one namespace or in all; what has never answered is waited for since then. */
    asked: heard,
    answered: (kind: string, namespace: string | undefined, error?: unknown): void => {
      if (error === undefined) heard(kind, namespace);
      const isGone = isNotFound(error) || (isForbidden(error) && !readByRollouts.has(kind));
      if (isGone && optional.has(kind)) forget(kind, namespace);
    },
    take: (happened: KindEvent): void => {
      const { kind, event } = happened;
      try {
        if (kind === 'Cell') takeCell({ kind, event });
        else if (isMeasured(happened)) takeMeasurement(happened);
      } catch {
        // An object of a form that no schema allows is told of by the router.
        metrics.count('okra_metrics_failures_total', { state: 'events' });
      }
    },
    end: (): void => ends.forEach((end) => end()),
  };
}

const watched: ReadonlySet<string> = new Set(sources.map(({ kind }) => kind.kind));

// A kind that was uninstalled, or may not be read any more, is not expected to be heard of.
const optional: ReadonlySet<string> = new Set(
  sources.filter((source) => source.optional).map(({ kind }) => kind.kind),
);

// No rollout continues where these may not be read.
const readByRollouts: ReadonlySet<string> = new Set([FREEZE.kind, ACCESS_POLICY.kind]);

const isMeasured = (happened: KindEvent): happened is KindEvent<Measuring> =>
  measuring.some((kind) => kind === happened.kind);

const verdicts: ReadonlySet<string> = new Set(['Successful', 'Failed', 'Error', 'Inconclusive']);

const isVerdict = (phase: string | undefined): boolean => phase !== undefined && verdicts.has(phase);

function keep<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}
