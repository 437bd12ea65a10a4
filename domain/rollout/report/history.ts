import type { Change } from '../../model/state.ts';
import type { Ending } from '../../model/decision.ts';
import type { ShiftPurpose } from '../../model/shift-purpose.ts';
import { requestsInStatus } from '../../model/requests.ts';
import type { TakenRequest } from '../../model/request.ts';
import { cut } from '../../text.ts';
import { parseTime } from '../../time.ts';
import { compareVersions } from '../../versions/version.ts';

const KEPT_CHANGES = 10;

/** A change of what serves; times are milliseconds since the epoch. */
export interface Changed {
  readonly version: string;
  readonly from: string | undefined;
  readonly outcome: Change['outcome'];
  readonly message: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The shifts that change which version serves without a rollout, and what the history calls them. */
export const outcomeOf: Readonly<Partial<Record<ShiftPurpose, Change['outcome']>>> = {
  Installing: 'Installed',
  Reinstalling: 'Installed',
  RollingBack: 'RolledBack',
  FallingBack: 'FellBack',
};

/** What the history calls a rollout that was taken back: `Reverted` where it has failed. */
export const revertedAs = (ending: Ending['kind'] | undefined): Change['outcome'] =>
  ending === 'Failed' ? 'Reverted' : 'Withdrawn';

/** Writes a change down as the Cell's status has it, with what operators asked for meanwhile. */
export function changeOf(asked: readonly TakenRequest[] | undefined, changed: Changed): Change {
  const { startedAt, endedAt, from, message, ...change } = changed;
  const requests = requestsInStatus(asked ?? []);
  return {
    ...change,
    ...(from === undefined ? {} : { from }),
    message: cut(message, 4096),
    startedAt: new Date(startedAt).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
    ...(requests.length === 0 ? {} : { requests }),
  };
}

/** The history with one more change, the newest first; one that is there already is not added again. */
export function withChange(history: readonly Change[] | undefined, change: Change | undefined): Change[] {
  const known = [...(history ?? [])];
  if (change === undefined || known.some((one) => isSame(one, change))) return known;
  return [change, ...known].slice(0, KEPT_CHANGES);
}

/** The version that serves since the last change; undefined when nobody remembers one. */
export function servesSince(history: readonly Change[] | undefined): string | undefined {
  const [last] = history ?? [];
  const isBack = last?.outcome === 'Reverted' || last?.outcome === 'Withdrawn';
  return isBack ? last.from : last?.version;
}

/** Until when a version served, in milliseconds since the epoch; undefined when nobody remembers that it did. */
export function servedUntil(version: string, history: readonly Change[] | undefined): number | undefined {
  const replaced = (history ?? []).find(
    (one) =>
      one.from !== undefined &&
      compareVersions(one.from, version) === 0 &&
      (one.outcome === 'Completed' || one.outcome === 'RolledBack'),
  );
  return parseTime(replaced?.endedAt);
}

const isSame = (a: Change, b: Change): boolean =>
  a.version === b.version && a.startedAt === b.startedAt && a.outcome === b.outcome;
