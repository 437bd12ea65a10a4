import type { AskName, RequestName } from '../../crds/request-names.ts';

export { askNames, requestNames, type AskName, type RequestName } from '../../crds/request-names.ts';

/** An operator's request as it was received: who, why, and when (milliseconds since the epoch). */
export interface Stamp {
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

/** What operators asked of this rollout and what is not answered yet; what resumes a pause step finishes it, as a promote does. */
export type Requests = {
  readonly paused?: Stamp;
  readonly promote?: Stamp & { readonly resumes?: true };
} & {
  readonly [Name in Exclude<RequestName, 'pause' | 'resume' | 'promote'>]?: Stamp;
};

/** A request that was taken, kept for the status and the history. */
export interface TakenRequest<Name extends AskName = AskName> extends Stamp {
  readonly action: Name;
}

/** Someone's approval of the current step, which counts: who gave it, why and when. */
export type Approval = Stamp;

/** The approvals that a step takes before it is done. */
export interface Approvals {
  readonly groups: readonly string[];
  readonly count: number;
  readonly message?: string | undefined;
}
