import type { Sample } from '../../clients/metrics/metrics.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import { formatKey, keyOf } from '../../domain/model/ids.ts';
import { stepsOf } from '../../domain/steps/plan.ts';
import { parseTime } from '../../domain/time.ts';
import type { Shelved, View, Shelf } from '../informer/store.ts';
import type { Objects } from '../kinds.ts';
import { measuring, phases, type Measuring } from '../routes/route-measurement.ts';

/** What a Cell waits for, and since when. */
export interface Held {
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** Why a Cell does not continue, in one word; undefined when it does, or when there is nothing to do. */
export function heldBy(status: CellStatus = {}): string | undefined {
  const { phase, reason = '', conditions = [] } = status;
  const holds = (type: string): boolean =>
    conditions.some((condition) => condition.type === type && condition.status === 'True');
  if (phase === undefined || holds('Ready')) return undefined;
  const waits = phase === 'Waiting' || phase === 'Pending' || reason.startsWith('WaitingFor');
  const isHeld = waits || (holds('Progressing') && holds('Degraded'));
  return isHeld ? word(reason) : undefined;
}

/** What a Cell waits for now, and since when, by what was known of it before. */
export function heldSince(cell: Cell, before: Held | undefined, now: number): Held | undefined {
  const reason = heldBy(cell.status);
  if (reason === undefined) return undefined;
  if (before?.reason === reason) return before;
  const { lastSyncTime, rollout } = cell.status ?? {};
  const told = reason === 'WaitingForResume' ? rollout?.paused?.time : undefined;
  return { reason, since: Math.min(now, parseTime(told ?? lastSyncTime) ?? now) };
}

/** A reason as a label: a status is a text that others may write as well. */
export const word = (text: string): string => (/^[A-Z][A-Za-z0-9]{0,63}$/.test(text) ? text : 'Other');

/** The step that a rollout is at. */
export interface Standing {
  readonly rollout: string;
  readonly index: number;
  /** Since when; undefined: since before anybody looked. */
  readonly since: number | undefined;
}

/** At which step a Cell is, by what was known of it before. */
export function standingOf(cell: Cell, before: Standing | undefined, now: number): Standing | undefined {
  const { rollout, currentStepIndex: index } = cell.status ?? {};
  if (rollout === undefined || index === undefined) return undefined;
  if (before?.rollout === rollout.id && before.index === index) return before;
  return { rollout: rollout.id, index, since: Math.min(now, parseTime(cell.status?.lastSyncTime) ?? now) };
}

/** Finds the step that an update of a Cell has done, and how many seconds it took. */
export function stepDone(
  cell: Cell,
  before: Standing | undefined,
  now: number,
): { readonly kind: string; readonly seconds: number } | undefined {
  if (before?.since === undefined) return undefined;
  const { rollout, currentStepIndex = -1, phase, lastSyncTime } = cell.status ?? {};
  const isNext = rollout?.id === before.rollout || (rollout === undefined && phase === 'Completed');
  const kind = stepsOf(cell.spec)[before.index]?.kind;
  if (!isNext || currentStepIndex <= before.index || kind === undefined) return undefined;
  const at = Math.min(now, parseTime(lastSyncTime) ?? now);
  return { kind, seconds: Math.max(0, at - before.since) / 1000 };
}

/** Finds the changes of what serves that have come to an end by an update of a Cell, and how many seconds they took. */
export function changesEnded(
  old: Cell,
  cell: Cell,
): readonly { readonly outcome: string; readonly seconds: number }[] {
  const known = new Set((old.status?.history ?? []).map(keyOfChange));
  return (cell.status?.history ?? []).flatMap((change) => {
    const [from, to] = [parseTime(change.startedAt), parseTime(change.endedAt)];
    if (known.has(keyOfChange(change)) || from === undefined || to === undefined) return [];
    return [{ outcome: word(change.outcome), seconds: Math.max(0, to - from) / 1000 }];
  });
}

const keyOfChange = ({ version, endedAt }: { readonly version: string; readonly endedAt: string }): string =>
  `${version} ${endedAt}`;

/** What all Cells and what they measure by are like, in numbers. */
export function statesOf(
  view: Pick<View, 'Cell'> & MeasuredView,
  heldOf: (cell: string) => Held | undefined,
  now: number,
): readonly Sample[] {
  const cells = view.Cell.list();
  const rolling = cells.filter(({ status }) => status?.rollout !== undefined);
  return [
    ...byPhase('okra_cells', cells),
    ...byPhase('okra_rollouts', rolling),
    ...cells.flatMap((cell) => ofCell(cell, heldOf(formatKey(keyOf(cell))), now)),
    ...measurements(view),
  ];
}

function byPhase(name: 'okra_cells' | 'okra_rollouts', cells: Shelved<Cell>): readonly Sample[] {
  const labels = cells.map((cell) => ({
    namespace: keyOf(cell).namespace,
    phase: word(cell.status?.phase ?? 'Pending'),
  }));
  return counted(labels).map(({ of, value }) => ({ name, labels: of, value }));
}

function ofCell(cell: Cell, held: Held | undefined, now: number): readonly Sample[] {
  const { namespace, name } = keyOf(cell);
  const labels = { namespace, cell: name };
  const { rollout, canaryWeight, history = [], conditions = [] } = cell.status ?? {};
  const degraded = conditions.find(({ type, status }) => type === 'Degraded' && status === 'True');
  const [last] = history;
  const ended = parseTime(last?.endedAt);
  const samples: Sample[] = [];
  if (held !== undefined) {
    const value = Math.max(0, now - held.since) / 1000;
    samples.push({ name: 'okra_cell_held_seconds', labels: { ...labels, reason: held.reason }, value });
  }
  if (degraded !== undefined) {
    const reason = word(degraded.reason);
    samples.push({ name: 'okra_cell_degraded', labels: { ...labels, reason }, value: 1 });
  }
  if (rollout !== undefined && canaryWeight !== undefined)
    samples.push({ name: 'okra_cell_canary_weight', labels, value: canaryWeight });
  if (last !== undefined && ended !== undefined) {
    samples.push({
      name: 'okra_cell_last_change_timestamp_seconds',
      labels: { ...labels, outcome: word(last.outcome) },
      value: ended / 1000,
    });
  }
  return samples;
}

function measurements(view: MeasuredView): readonly Sample[] {
  const labels = measuring.flatMap((kind) =>
    phasesOf(kind, view).map((phase) => ({ kind, phase: word(phase ?? 'Pending') })),
  );
  return counted(labels).map(({ of, value }) => ({ name: 'okra_measurements', labels: of, value }));
}

function counted<Labels extends Readonly<Record<string, string>>>(
  all: readonly Labels[],
): readonly { readonly of: Labels; readonly value: number }[] {
  const groups = new Map<string, { of: Labels; value: number }>();
  for (const of of all) {
    const key = Object.values(of).join('/');
    groups.set(key, { of, value: (groups.get(key)?.value ?? 0) + 1 });
  }
  return [...groups.values()];
}

type MeasuredView = { readonly [Kind in Measuring]: Shelf<Objects[Kind]> };

const phasesOf = <Kind extends Measuring>(
  kind: Kind,
  view: Pick<MeasuredView, Kind>,
): readonly (string | undefined)[] => view[kind].list().map((object) => phases[kind](object));
