/** What a look is told when the one before it has failed. */
export interface FailedBefore {
  /** Since when one after the other has failed, in milliseconds since the epoch. */
  readonly failingSince: number;
}
