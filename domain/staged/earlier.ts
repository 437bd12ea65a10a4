import { nameNow } from './edits.ts';
import { isPassed, type ActiveStage, type StagedState } from './state.ts';

/** The newest stage before the active one that was passed; where there is none, the newest that was. */
export function stageBefore(
  state: StagedState,
  names: readonly string[],
  active: ActiveStage,
): string | undefined {
  const now = nameNow(active, names);
  const before = now === undefined ? names : names.slice(0, names.indexOf(now));
  return [...names, ...before].findLast((name) => isPassed(state, name));
}

/** The stages that an abort can go back to, as they were looked at last. */
export function earlierStages(state: StagedState, active: ActiveStage): readonly string[] {
  const names = (state.known ?? state.stages).map(({ name }) => name);
  const newest = stageBefore(state, names, active);
  const earlier = newest === undefined ? [] : names.slice(0, names.indexOf(newest) + 1);
  return earlier.filter((name) => isPassed(state, name));
}
