import { stagedRequestNames } from '../../crds/request-names.ts';
import type { Stage, StagedBindingPolicyStatus } from '../../crds/staged-binding-policy.ts';
import type { Stamp } from '../model/request.ts';
import type { ClusterMark } from './progressive.ts';

/** Where a stage stands, as the status has it. */
export type StageMark = NonNullable<StagedBindingPolicyStatus['stages']>[number];

/** What a person has to let go on, as the status has it. */
export type Held = NonNullable<StagedBindingPolicyStatus['held']>;

export { stagedRequestNames };

/** The name of such a request. */
export type StagedRequestName = (typeof stagedRequestNames)[number];

/** A request that was taken, for the status. */
export interface StagedAsked extends Stamp {
  readonly action: StagedRequestName;
}

/** The stage that it is at; times are milliseconds since the epoch. */
export interface ActiveStage {
  readonly name: string;
  /** When it began, or began again because its objects or clusters have changed. */
  readonly startedAt: number;
  /** Since when its timeout counts, where that is later. */
  readonly countsFrom?: number;
  /** Since when its timeout does not count, because something else holds it. */
  readonly stoppedAt?: number;
  /** Since when nobody could look at it. */
  readonly unseenSince?: number;
  /** What it was about when it was looked at last. */
  readonly print?: string;
  /** Since when it has been fulfilled without a break. */
  readonly fulfilledSince?: number;
  /** When the last stage was fulfilled for good; until its objects or clusters change. */
  readonly completedAt?: number;
  /** Whether its clusters may have been served before: it was passed or completed, or has replaced a stage that was. Okra does not take the workload from them by itself. */
  readonly hasServed?: boolean;
  /** The stage that selects the same clusters, and has come with the edit by which this one went. */
  readonly renamedTo?: string;
  /** The clusters that it has begun with, where it reaches them a few at a time. */
  readonly clusters?: readonly ClusterMark[];
}

/** A stage that had begun and is not asked for any more, for as long as its BindingPolicy is there. */
export interface GoneStage {
  readonly name: string;
  /** Undefined when nobody knows. */
  readonly clusterSelectors?: Stage['clusterSelectors'] | undefined;
  /** Whether it was passed, or may have served as the active one; undefined when nobody knows. */
  readonly hasServed?: boolean;
  /** The stages that may have taken its place. */
  readonly by: readonly string[];
}

/** A stage that is being taken back. */
export interface RollingBack {
  readonly reason: Held['reason'];
  readonly by?: string;
  readonly message: string;
  /** The stage to go back to; undefined: the one before. */
  readonly to?: string;
}

/** What a request is about; what is left out may be anything. */
export interface StagedAim {
  /** The stage that an abort is to go back to. */
  readonly to?: string;
  /** The stage that whoever asks has looked at. */
  readonly stage?: string;
}

/** A request with who has made it. */
export interface StagedRequest extends Stamp, StagedAim {}

/** What was written last, how often in a row, and when; a time is in milliseconds since the epoch. */
export interface Written {
  readonly what: string;
  readonly times: number;
  readonly at: number;
}

/** All that a StagedBindingPolicy's workflow remembers. */
export interface StagedState {
  /** The uid of the object that it is about; undefined until that was looked at. */
  readonly uid?: string;
  /** Whether what an earlier run has left in the status was taken up. */
  readonly isRestored: boolean;
  /** Whether its run was begun by a release that has told less of the stages: what it has told it tells again. */
  readonly tellsAsBefore?: true;
  readonly stages: readonly StageMark[];
  readonly active?: ActiveStage;
  /** What the stages selected when they were looked at last; undefined until they were. */
  readonly known?: readonly Pick<Stage, 'name' | 'clusterSelectors'>[];
  readonly gone?: readonly GoneStage[];
  readonly held?: Held;
  readonly rollingBack?: RollingBack;
  readonly requests: {
    readonly paused?: Stamp;
    readonly promote?: Stamp;
    readonly retry?: Stamp;
    readonly abort?: Stamp & { readonly to?: string };
  };
  readonly asked: readonly StagedAsked[];
  /** What was asked before the first look, without which nobody knows whether it makes sense. */
  readonly early?: readonly { readonly name: StagedRequestName; readonly request: StagedRequest }[];
  readonly written?: Written;
}

/** What a workflow remembers that has only begun. */
export const initialStagedState: StagedState = { isRestored: false, stages: [], requests: {}, asked: [] };

/** A state in which no stage has begun. */
export function withoutStage({ active: _active, ...others }: StagedState): StagedState {
  return others;
}

/** A state in which nothing has to be let go on. */
export function withoutHold({ held: _held, ...others }: StagedState): StagedState {
  return others;
}

/** A state in which nothing is being taken back. */
export function withoutRollBack({ rollingBack: _rollingBack, ...others }: StagedState): StagedState {
  return others;
}

/** A state by which a run begins that tells all of the stages, or as one of an earlier release did. */
export function tellingAll({ tellsAsBefore: _before, ...others }: StagedState, isAll: boolean): StagedState {
  return isAll ? others : { ...others, tellsAsBefore: true };
}

/** A state after a request was carried out. */
export function answered(state: StagedState, name: 'promote' | 'retry' | 'abort'): StagedState {
  const { [name]: _answered, ...requests } = state.requests;
  return { ...state, requests };
}

/** Marks where a stage stands; since when it has been there changes with its phase only. */
export function marked(state: StagedState, mark: Omit<StageMark, 'since'>, now: number): StagedState {
  const time = new Date(now).toISOString();
  const before = state.stages.find(({ name }) => name === mark.name);
  const next: StageMark = { ...mark, since: before?.phase === mark.phase ? before.since : time };
  const stages =
    before === undefined ? [...state.stages, next] : state.stages.map((one) => (one === before ? next : one));
  return { ...state, stages };
}

/** The phase of a stage; undefined when there is no mark of it. */
export const phaseOf = ({ stages }: StagedState, name: string): StageMark['phase'] | undefined =>
  stages.find((one) => one.name === name)?.phase;

/** Whether a stage was passed. */
export const isPassed = (state: StagedState, name: string): boolean => phaseOf(state, name) === 'Passed';
