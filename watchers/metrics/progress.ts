import type { LabelsOf } from '../../clients/metrics/definitions.ts';
import type { Cell } from '../../crds/cell.ts';
import { stepsOf } from '../../domain/steps/plan.ts';
import { parseTime } from '../../domain/time.ts';
import { word } from './listening.ts';

/** The step that a rollout is at. */
export interface Standing {
  readonly rollout: string;
  readonly index: number;
  /** Since when; undefined: since before anybody looked. */
  readonly since: number | undefined;
}

/** Something that took time, of what, and how long. */
export type Took =
  | {
      readonly name: 'okra_step_duration_seconds';
      readonly labels: LabelsOf<'okra_step_duration_seconds'>;
      readonly seconds: number;
    }
  | {
      readonly name: 'okra_change_duration_seconds';
      readonly labels: LabelsOf<'okra_change_duration_seconds'>;
      readonly seconds: number;
    };

/** At which step a Cell is, by what was known of it before. */
export function standingOf(cell: Cell, before: Standing | undefined, now: number): Standing | undefined {
  const { rollout, currentStepIndex: index } = cell.status ?? {};
  if (rollout === undefined || index === undefined) return undefined;
  if (before?.rollout === rollout.id && before.index === index) return before;
  return { rollout: rollout.id, index, since: Math.min(now, parseTime(cell.status?.lastSyncTime) ?? now) };
}

/** What a Cell has brought to an end between two looks at it. */
export function ended(old: Cell, cell: Cell, before: Standing | undefined, now: number): readonly Took[] {
  const changes = newChanges(old, cell);
  return [...stepDone(cell, before, now), ...changes];
}

function stepDone(cell: Cell, before: Standing | undefined, now: number): readonly Took[] {
  if (before?.since === undefined) return [];
  const { rollout, currentStepIndex = -1, phase, lastSyncTime } = cell.status ?? {};
  const isNext = rollout?.id === before.rollout && currentStepIndex > before.index;
  const isOver = rollout === undefined && phase === 'Completed' && currentStepIndex > before.index;
  if (!isNext && !isOver) return [];
  const kind = stepsOf(cell.spec)[before.index]?.kind;
  if (kind === undefined) return [];
  const at = Math.min(now, parseTime(lastSyncTime) ?? now);
  const seconds = Math.max(0, at - before.since) / 1000;
  return [{ name: 'okra_step_duration_seconds', labels: { kind }, seconds }];
}

function newChanges(old: Cell, cell: Cell): readonly Took[] {
  const known = new Set((old.status?.history ?? []).map(keyOfChange));
  return (cell.status?.history ?? []).flatMap((change) => {
    const [from, to] = [parseTime(change.startedAt), parseTime(change.endedAt)];
    if (known.has(keyOfChange(change)) || from === undefined || to === undefined) return [];
    const labels = { outcome: word(change.outcome) };
    return [{ name: 'okra_change_duration_seconds', labels, seconds: Math.max(0, to - from) / 1000 }];
  });
}

const keyOfChange = ({ version, endedAt }: { readonly version: string; readonly endedAt: string }): string =>
  `${version} ${endedAt}`;
