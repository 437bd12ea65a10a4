/** The phases of an Argo Rollouts AnalysisRun. */
export type AnalysisPhase = 'Pending' | 'Running' | 'Successful' | 'Failed' | 'Error' | 'Inconclusive';

/** How far an AnalysisRun has come. */
export interface AnalysisVerdict {
  readonly name: string;
  readonly phase: AnalysisPhase;
  readonly message: string;
}

const final: readonly AnalysisPhase[] = ['Successful', 'Failed', 'Error', 'Inconclusive'];

/** Whether an AnalysisRun in this phase measures no more. */
export const isFinished = (phase: AnalysisPhase): boolean => final.includes(phase);
