import type { AskName, RequestName } from '../../crds/request-names.ts';

export { askNames, requestNames, type AskName, type RequestName } from '../../crds/request-names.ts';

/** An operator's request as it was received: who, why, and when (milliseconds since the epoch). */
export interface Stamp {
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

/** What operators asked of this rollout and what is not answered yet; `resume` ends a pause, and is never open. */
export type Requests = { readonly paused?: Stamp } & {
  readonly [Name in Exclude<RequestName, 'pause' | 'resume'>]?: Stamp;
};

/** A request that was taken, kept for the status and the history. */
export interface TakenRequest<Name extends AskName = AskName> extends Stamp {
  readonly action: Name;
}
