/** What the gate of a version of the worker needs; nothing is written. */
export interface GateActivities {
  /** Asks the API server whether it is ready, and whether it has the kind Cell; answers in a sentence. */
  reachKubernetes(): Promise<string>;
  /** Asks ELBv2 in the region of this worker for a target group; answers in a sentence. */
  reachELBv2(): Promise<string>;
}
