import {
  type StagedTurn,
  clearRequest,
  markStage,
  listPassedBefore,
  clearRollBack,
  clearStage,
  type ActiveStage,
  type Held,
  type RollingBack,
  type StagedState,
} from './state.ts';
import type { ObservedStaged, PresentPolicy } from './observation.ts';

/** Takes the newest stage back, and after it the ones before, down to the one that is asked for. */
export function rollBack(
  state: StagedState & { readonly rollingBack: RollingBack },
  {
    observed,
    object,
    now,
  }: { readonly observed: ObservedStaged; readonly object: PresentPolicy; readonly now: number },
): StagedTurn {
  const { active, rollingBack } = state;
  if (active === undefined) return { state: held(state, ''), decision: LOOK };
  const { message } = rollingBack;
  const { selection } = observed;
  if (selection?.isDeleting === false) return { state, decision: removal(selection, message) };
  const previous = listPassedBefore(state).at(-1);
  const returned = previous === undefined ? undefined : comeBack(previous, { observed, object }, message);
  if (returned !== undefined) return { state, decision: returned };
  const own = observed.policies.find(({ stage }) => stage === active.name);
  if (own !== undefined) return { state, decision: removal(own, message) };
  return { state: taken(state, { active, previous, now }), decision: LOOK };
}

const LOOK = { do: 'Look', message: 'Rolled back a stage.' } as const;

/** Binds the stage before first, whose BindingPolicy stageRetention Remove has deleted. */
function comeBack(
  stage: string,
  { observed, object }: { readonly observed: ObservedStaged; readonly object: PresentPolicy },
  message: string,
): StagedTurn['decision'] | undefined {
  const own = observed.policies.find((one) => one.stage === stage);
  if (own === undefined)
    return { do: 'Apply', stage, message: `${message} Binding stage ${stage} again first.` };
  const isKept = object.spec?.stageRetention !== 'Remove';
  // What is kept has had its clusters before, and nothing is gained by waiting for what KubeStellar refuses.
  if (isKept && (own.isDeleting || own.refusal !== undefined)) return undefined;
  if (own.isBound && !own.isDeleting) return undefined;
  const wait = { do: 'Wait', phase: 'RollingBack' } as const;
  if (own.isDeleting) {
    const waits = `${message} Waiting for KubeStellar to release BindingPolicy ${own.name}, so that stage ${stage} can be bound again first.`;
    return { ...wait, reason: 'Removing', message: waits };
  }
  const waits = `${message} Waiting for KubeStellar to bind stage ${stage} again first.`;
  return own.refusal === undefined
    ? { ...wait, reason: 'Binding', message: waits }
    : { ...wait, reason: 'Binding', message: `${waits} It reports: ${own.refusal}`, isTrouble: true };
}

function removal(
  own: Pick<ObservedStaged['policies'][number], 'name' | 'uid' | 'isDeleting'>,
  message: string,
): StagedTurn['decision'] {
  if (!own.isDeleting) return { do: 'Remove', name: own.name, uid: own.uid, message };
  const waits = `${message} Waiting for KubeStellar to release BindingPolicy ${own.name} and its Binding.`;
  return { do: 'Wait', phase: 'RollingBack', reason: 'Removing', message: waits };
}

/** The state after the newest stage is gone. */
function taken(
  state: StagedState & { readonly rollingBack: RollingBack },
  at: {
    readonly active: ActiveStage;
    readonly previous: string | undefined;
    readonly now: number;
  },
): StagedState {
  const { active, previous, now } = at;
  const rolledBack = markStage(state, { name: active.name, phase: 'RolledBack' }, now);
  if (previous === undefined) return held(clearStage(rolledBack), active.name);
  const back = markStage(
    // It was passed, and serves its clusters.
    { ...rolledBack, active: { name: previous, startedAt: now, countsFrom: now, hasServed: true } },
    { name: previous, phase: 'Waiting', completed: true },
    now,
  );
  const { to } = state.rollingBack;
  const goesOn = to !== undefined && listPassedBefore(back).includes(to);
  return goesOn ? back : held(back, active.name);
}

/** What was taken back stays so until a person lets it go on. */
function held(state: StagedState, stage: string): StagedState {
  const { rollingBack } = state;
  if (rollingBack === undefined) return state;
  const { reason, by, message } = rollingBack;
  const hold: Held = { reason, stage, message, ...(by === undefined ? {} : { by }) };
  // What has come to finish a stage was not about the one before.
  return { ...clearRollBack(clearRequest(state, 'promote')), held: hold };
}
