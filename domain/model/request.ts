/** An operator's request as it was received: who, why, and when (milliseconds since the epoch). */
export interface Stamp {
  readonly by: string;
  readonly reason: string;
  readonly at: number;
}

/** What operators asked of this rollout and what is not answered yet. */
export interface Requests {
  readonly paused?: Stamp;
  readonly promote?: Stamp;
  readonly promoteFull?: Stamp;
  readonly abort?: Stamp;
  readonly retry?: Stamp;
}

/** A request that was taken, kept for the status and the history. */
export interface TakenRequest extends Stamp {
  readonly action: RequestName;
}

/** What an operator can ask of a rollout, in the order in which a person would look for it. */
export const requestNames = ['pause', 'resume', 'promote', 'promoteFull', 'abort', 'retry'] as const;

/** The name of an operator's request. */
export type RequestName = (typeof requestNames)[number];
