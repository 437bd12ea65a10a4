import type { StagedLook, StageView } from './observation.ts';
import type { ClusterMark } from './progressive.ts';
import type { ActiveStage, StagedState } from './state.ts';

type Active = StagedState & { readonly active: ActiveStage };

/** The look by which to go on; the first one of a run may find that a stage is taken back. */
export const nextLook = (
  name: string,
  { isRestored, active, rollingBack, requests }: StagedState,
): StagedLook => ({
  name,
  ...(active === undefined ? {} : { at: active.name }),
  ...(isRestored && rollingBack === undefined && requests.abort === undefined ? {} : { isTakingBack: true }),
});

/** Clusters have as long again when what they are to have has changed. */
export function sinceChange(state: Active, { print, unbound }: StageView): Active {
  if (unbound !== undefined || state.active.print === undefined || state.active.print === print) return state;
  const { clusters: _before, ...active } = state.active;
  return { ...state, active };
}

/** What a look changes: a stage whose objects or clusters have changed begins again. */
export function looked(
  state: Active,
  { print, unbound }: StageView,
  {
    now,
    isFulfilled: holds,
    wasSoaked,
    marks,
  }: {
    readonly now: number;
    readonly isFulfilled: boolean;
    /** Whether it has been fulfilled for as long as it has to be. */
    readonly wasSoaked: boolean;
    readonly marks: readonly ClusterMark[] | undefined;
  },
): Active {
  const { fulfilledSince, completedAt, ...active } = state.active;
  // What was fulfilled in time has as long again: it was edited, or its clusters have a bad moment.
  const hasAgain = !holds && fulfilledSince !== undefined && (wasSoaked || unbound !== undefined);
  const again = hasAgain ? { countsFrom: now } : {};
  // Until it is bound nobody knows what it is about; it is not fulfilled, and may turn out to be the same as before.
  if (unbound !== undefined) {
    const over = completedAt === undefined ? {} : { completedAt };
    return { ...state, active: { ...active, ...again, ...over } };
  }
  const { clusters: before, ...others } = active;
  const hasJoined =
    before !== undefined && marks?.some(({ name }) => !before.some((one) => one.name === name)) === true;
  const isAnother =
    active.print !== undefined && (active.print !== print || (completedAt !== undefined && hasJoined));
  const clusters = marks === undefined ? {} : { clusters: marks };
  if (isAnother) {
    const since = holds ? { fulfilledSince: now } : {};
    return { ...state, active: { ...others, print, startedAt: now, ...since, ...clusters } };
  }
  return {
    ...state,
    active: {
      ...others,
      ...again,
      print,
      ...(holds ? { fulfilledSince: fulfilledSince ?? now } : {}),
      ...(completedAt === undefined ? {} : { completedAt }),
      ...clusters,
    },
  };
}
