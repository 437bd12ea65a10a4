import type { Stamp } from './request.ts';

/** Someone's approval of the current step, which counts: who gave it, why and when. */
export type Approval = Stamp;

/** The approvals that a step takes before it is done. */
export interface Approvals {
  readonly groups: readonly string[];
  /** How many different people have to approve. */
  readonly count: number;
  readonly message?: string | undefined;
}
