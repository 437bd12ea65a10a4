import type { CellStatus } from '../../crds/cell.ts';
import type { AskName } from '../../domain/model/request.ts';
import type { Seen } from '../../domain/model/seen.ts';

/** How something stands, in one word that has a colour and a sign of its own. */
export type Tone = 'Good' | 'Moving' | 'Held' | 'Bad' | 'Idle';

/** The weight of a target group: what is asked for, and what was read back. */
export interface GroupWeight {
  readonly name: string;
  readonly version: string;
  readonly role: 'Stable' | 'Canary' | 'Previous' | '';
  /** Undefined: nothing is asked for, or the person may not read it. */
  readonly asked?: number;
  /** Undefined: it is not in what is served. */
  readonly served?: number;
}

/** A Cell in the list of all. Times are ISO 8601. */
export interface CellRow {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly tone: Tone;
  readonly message: string;
  /** Since when it stands like that; undefined when nobody knows. */
  readonly since?: string;
  readonly stable?: string;
  readonly canary?: string;
  readonly step?: string;
  readonly weights: readonly GroupWeight[];
  readonly asksPerson: boolean;
}

/** A Freeze that holds now. */
export interface FreezeView {
  readonly name: string;
  readonly by: string;
  readonly reason: string;
  readonly until?: string;
  /** Undefined: all. */
  readonly namespaces?: readonly string[];
}

/** What stands above every view: what holds, and what may be old. */
export interface Head {
  readonly freezes: readonly FreezeView[];
  readonly troubles: readonly string[];
  readonly isWhole: boolean;
}

/** A StagedBindingPolicy, as far as the list shows it. */
export interface PolicyRow {
  readonly name: string;
  readonly phase: string;
  readonly tone: Tone;
  readonly message: string;
  readonly stages: readonly { readonly name: string; readonly phase: string; readonly tone: Tone }[];
}

/** A target group of a Cell, as it is told of in full. */
export interface GroupView extends GroupWeight {
  readonly note: string;
  readonly health?: HealthView;
}

/** The health of a target group; left out where Okra has not checked it. */
export interface HealthView {
  readonly tone: Tone;
  /** Its healthy and registered targets: `2/3 healthy`. */
  readonly text: string;
  /** Why no Cell can use it. */
  readonly problem?: string;
}

/** A step, and where the rollout stands. */
export interface StepView {
  readonly text: string;
  readonly stands: 'Done' | 'Current' | 'Ahead';
  readonly since?: string;
  readonly endsAt?: string;
}

/** Something that can hold a rollout. */
export interface GateView {
  readonly name: string;
  readonly holds: boolean;
  readonly text: string;
  /** When it ends, or opens. */
  readonly until?: string;
}

/** A measured value against its threshold. */
export interface MetricView {
  readonly name: string;
  readonly phase: string;
  readonly tone: Tone;
  readonly value: string;
  readonly threshold: string;
  readonly time?: string;
}

/** What measures a step, with its values. */
export interface VerdictView {
  readonly kind: string;
  readonly name: string;
  readonly phase: string;
  readonly tone: Tone;
  readonly message: string;
  readonly metrics: readonly MetricView[];
}

/** The approvals that a step waits for. */
export interface ApprovalView {
  readonly text: string;
  readonly message?: string;
  readonly approvals: NonNullable<NonNullable<CellStatus['approval']>['approvals']>;
}

/** An application of a Cell. */
export interface ApplicationView {
  readonly name: string;
  readonly phase: string;
  readonly tone: Tone;
  readonly message: string;
  readonly checks: string;
  /** The Cell that moves its weights. */
  readonly child?: string;
}

/** An Event of Kubernetes. */
export interface EventView {
  readonly time: string;
  readonly type: string;
  readonly reason: string;
  readonly note: string;
}

/** From a time on, a weight; times are milliseconds since the epoch. */
export interface Point {
  readonly at: number;
  readonly weight: number;
}

/** The weights of a version over time. */
export interface Series {
  readonly version: string;
  readonly asked: readonly Point[];
  readonly served: readonly Point[];
}

/** Weights over time. */
export interface ChartView {
  readonly from: number;
  /** Undefined: it goes on. */
  readonly to?: number;
  /** What the weights add up to. */
  readonly total: number;
  readonly series: readonly Series[];
  readonly note?: string;
}

/** Whether Kubernetes lets a person make a request; unknown as long as it has not said so. */
export type MayAsk = 'Yes' | 'No' | 'Unknown';

/** A request that can be made, and whether the person may make it. */
export interface OfferView {
  readonly name: AskName;
  readonly does: string;
  readonly may: MayAsk;
}

type StatusList<Name extends keyof CellStatus> = NonNullable<CellStatus[Name]>;

/** All that is shown of one Cell. */
export interface CellPage {
  readonly row: CellRow;
  readonly isDeleted: boolean;
  readonly facts: readonly { readonly name: string; readonly text: string; readonly time?: string }[];
  readonly groups: readonly GroupView[];
  readonly chart: ChartView;
  readonly steps: readonly StepView[];
  readonly gates: readonly GateView[];
  readonly verdicts: readonly VerdictView[];
  readonly approval?: ApprovalView;
  readonly applications: readonly ApplicationView[];
  readonly clusters: StatusList<'clusters'>;
  readonly blocked: StatusList<'blockedVersions'>;
  readonly rejected: readonly string[];
  readonly requests: StatusList<'requests'>;
  readonly history: readonly (StatusList<'history'>[number] & { readonly tone: Tone })[];
  readonly events: readonly EventView[];
  readonly next?: string;
  readonly url?: string;
  readonly offers: readonly OfferView[];
  /** What a request that is made of this page is made of. */
  readonly seen: Seen;
}

/** A target group of a cluster, and where it is used. */
export interface UsedGroup {
  readonly name: string;
  readonly version: string;
  readonly health?: HealthView;
  readonly users: readonly {
    readonly key: string;
    readonly role: string;
    readonly weight: number;
  }[];
}

/** A cluster with its target groups. */
export interface ClusterView {
  readonly name: string;
  /** The ClusterSets that have found it. */
  readonly sets: readonly string[];
  readonly groups: readonly UsedGroup[];
}

/** Who looks, and what they can do here. */
export interface Me {
  /** Undefined: nobody has logged in. */
  readonly by?: string;
  readonly version: string;
  readonly canLogIn: boolean;
  readonly mayAct: boolean;
  /** Whether there is anything that they may see without logging in. */
  readonly isIn: boolean;
}
