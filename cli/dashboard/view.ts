import type { AskName } from '../../domain/model/request.ts';
import type { Seen } from '../../domain/model/seen.ts';
import type { StepView } from '../okractl/describe-cell.ts';

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

/** A text of a table, with its tone or where it leads, or several; a text that is a time is shown by how far away it is. */
export type TableCell =
  | string
  | { readonly text: string; readonly tone?: Tone; readonly href?: string }
  | { readonly list: readonly TableCell[] };

/** A table with what is said above it; it is left out where neither is there. */
export interface TableView {
  readonly title: string;
  readonly text?: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly TableCell[])[];
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

/** All that is shown of one Cell. */
export interface CellPage {
  readonly row: CellRow;
  readonly isDeleted: boolean;
  readonly groups: TableView;
  readonly chart: ChartView;
  readonly steps: readonly StepView[];
  /** What can hold it, what measures it, what is wrong, and what was. */
  readonly tables: readonly TableView[];
  readonly next?: string;
  readonly offers: readonly OfferView[];
  /** What a request that is made of this page is made of. */
  readonly seen: Seen;
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
