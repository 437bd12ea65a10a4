/** A cancellation of a workflow in Temporal, which is an abort of what is under way, and otherwise ends the run. */
export interface Cancellation {
  /** Rejects when this run is cancelled. */
  readonly requested: Promise<never>;
  /** Whether a run before this one was, and has not come to the end that this asks for. */
  readonly isDue: boolean;
}
