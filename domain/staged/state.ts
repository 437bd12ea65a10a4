import { stagedRequestNames } from '../../crds/request-names.ts';
import type { Stage, StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';
import { omit } from '../model/fields.ts';
import type { Stamp, TakenRequest } from '../model/request.ts';
import type { ClusterMark } from './progressive.ts';

/** Where a stage stands, as the status has it. */
export type StageMark = NonNullable<StagedBindingPolicyStatus['stages']>[number];

/** What a person has to let continue, as the status has it. */
export type Held = NonNullable<StagedBindingPolicyStatus['held']>;

export { stagedRequestNames };

/** The name of such a request. */
export type StagedRequestName = (typeof stagedRequestNames)[number];

/** The stage that it is at; times are milliseconds since the epoch. */
export interface ActiveStage {
  readonly name: string;
  /** When it began, or began again because its objects or clusters have changed. */
  readonly startedAt: number;
  /** From when its timeout counts: the time for which something else has held it is left out. */
  readonly countsFrom: number;
  /** Since when its time does not count, and whether nobody could look at it meanwhile. */
  readonly stopped?: { readonly at: number; readonly isUnseen: boolean };
  /** What it was about when it was looked at last. */
  readonly print?: string;
  /** Since when it has been fulfilled without a break. */
  readonly fulfilledSince?: number;
  /** When the last stage was fulfilled for good; until its objects or clusters change. */
  readonly completedAt?: number;
  /** Whether it was passed or completed before, so that Okra does not take it back by itself. */
  readonly hasServed?: boolean;
  /** The clusters that it has begun with, where it reaches them a few at a time. */
  readonly clusters?: readonly ClusterMark[];
}

/** What cannot change of a stage that has begun. */
export type BegunStage = Pick<Stage, 'name' | 'clusterSelectors'>;

/** A stage that is being taken back; without `to`, the stage before it is gone back to. */
export type RollingBack = Omit<Held, 'stage'>;

/** What a request is about; what is left out may be anything. */
export interface StagedAim {
  /** The stage that an abort is to go back to. */
  readonly to?: string;
  /** The stage that whoever asks has looked at. */
  readonly stage?: string;
}

/** A request with who has made it. */
export interface StagedRequest extends Stamp, StagedAim {}

/** All that a StagedBindingPolicy's workflow remembers. */
export interface StagedState {
  /** The uid of the object that it is about; undefined until that was looked at. */
  readonly uid?: string;
  /** Whether what an earlier run has left in the status was taken up. */
  readonly isRestored: boolean;
  /** The stages in the order of the last spec that could be followed. */
  readonly stages: readonly StageMark[];
  /** The stages up to the active one, as they were when their BindingPolicies were made. */
  readonly begun: readonly BegunStage[];
  readonly active?: ActiveStage;
  readonly held?: Held;
  readonly rollingBack?: RollingBack;
  readonly requests: {
    readonly paused?: Stamp;
    readonly promote?: Stamp;
    readonly retry?: Stamp;
    readonly abort?: Stamp & { readonly to?: string };
  };
  readonly asked: readonly TakenRequest<StagedRequestName>[];
  /** What was asked before the first look, without which nobody knows whether it makes sense. */
  readonly early?: readonly { readonly name: StagedRequestName; readonly request: StagedRequest }[];
}

/** What a workflow remembers that has only begun. */
export const initialStagedState: StagedState = {
  isRestored: false,
  stages: [],
  begun: [],
  requests: {},
  asked: [],
};

/** A state in which a stage has begun. */
export type ActiveState = StagedState & { readonly active: ActiveStage };

/** A state after requests were carried out. */
export const clearRequest = (
  state: StagedState,
  ...names: readonly ('promote' | 'retry' | 'abort')[]
): StagedState => ({ ...state, requests: omit(state.requests, ...names) });

/** Marks where a stage stands; since when it has been there changes with its phase only. */
export function markStage(state: StagedState, mark: Omit<StageMark, 'since'>, now: number): StagedState {
  const time = new Date(now).toISOString();
  const before = state.stages.find(({ name }) => name === mark.name);
  const next: StageMark = { ...mark, since: before?.phase === mark.phase ? before.since : time };
  const stages =
    before === undefined ? [...state.stages, next] : state.stages.map((one) => (one === before ? next : one));
  return { ...state, stages };
}

/** Whether a stage was passed. */
export const isPassed = ({ stages }: StagedState, name: string): boolean =>
  stages.some((one) => one.name === name && one.phase === 'Passed');

/** The stages before the active one that were passed, in order: those that an abort can go back to. */
export function listPassedBefore({
  stages,
  active,
}: Pick<StagedState, 'stages'> & { readonly active?: Pick<ActiveStage, 'name'> }): readonly string[] {
  const at = stages.findIndex(({ name }) => name === active?.name);
  return (at < 0 ? stages : stages.slice(0, at))
    .filter(({ phase }) => phase === 'Passed')
    .map(({ name }) => name);
}

/** The one thing to do next for a StagedBindingPolicy. */
export type StagedDecision =
  /** Create the BindingPolicy of a stage, or make it say what it should. */
  | ({ readonly do: 'Apply'; readonly message: string } & StageChange)
  | { readonly do: 'Select'; readonly stage: string; readonly message: string }
  | ({ readonly do: 'Remove'; readonly message: string } & StageRemoval)
  /** Let the object go, which has nothing left to take away. */
  | { readonly do: 'Release'; readonly message: string }
  | { readonly do: 'Look'; readonly message: string }
  | StagedWait
  | { readonly do: 'Close'; readonly message: string };

/** What a BindingPolicy is to be. */
export interface StageChange {
  readonly stage: string;
  /** The clusters that it is to reach; undefined: all that the stage selects. */
  readonly clusters?: readonly string[];
  /** The uid of the one that was found; undefined when there was none. */
  readonly found?: string;
}

/** A BindingPolicy that is to go. */
export interface StageRemoval {
  readonly name: string;
  readonly uid: string;
  /** The generation of the StagedBindingPolicy by which it is to; undefined: whatever that says by now. */
  readonly generation?: number;
}

/** Nothing is done until something changes, or until a time in milliseconds since the epoch. */
export interface StagedWait {
  readonly do: 'Wait';
  readonly phase: NonNullable<StagedBindingPolicyStatus['phase']>;
  readonly reason: string;
  readonly message: string;
  readonly until?: number | undefined;
  readonly isTrouble?: boolean;
}

/** What a turn comes to. */
export interface StagedTurn {
  readonly state: StagedState;
  readonly decision: StagedDecision;
}
