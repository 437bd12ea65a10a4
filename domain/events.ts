import type { Decision } from './decision.ts';
import type { ReportedEvent } from './report.ts';

type Note = Omit<ReportedEvent, 'id'>;

/** The Event that tells people of a decision that was carried out; undefined when it is not worth one. */
export function eventOf(decision: Decision): Note | undefined {
  switch (decision.do) {
    case 'Begin':
      return normal('RolloutStarted', decision.message);
    case 'Shift':
      return decision.purpose === 'TakeBack' || decision.purpose === 'FallBack'
        ? warning('WeightsTakenBack', `${decision.message} ELBv2 serves it.`)
        : normal('WeightsShifted', `${decision.message} ELBv2 serves it.`);
    case 'StartAnalysis':
      return normal('AnalysisStarted', decision.message);
    case 'End':
      return decision.ending.kind === 'Failed'
        ? warning('RolloutFailed', decision.message)
        : normal('RolloutWithdrawn', decision.message);
    case 'Conclude':
      return normal('RolledBack', decision.message);
    case 'Finish':
      return normal('RolloutCompleted', decision.message);
    case 'Advance':
    case 'Replan':
      return normal(decision.do === 'Advance' ? 'StepCompleted' : 'StepsReplanned', decision.message);
    case 'CheckHealth':
    case 'Pause':
    case 'ReadAnalysis':
    case 'EndAnalysis':
    case 'Wait':
    case 'Close':
      return undefined;
  }
}

/** The Event that tells people that something outside refused. */
export const refusalEvent = (reason: string, message: string): Note => warning(reason, message);

const normal = (reason: string, message: string): Note => ({ type: 'Normal', reason, message });
const warning = (reason: string, message: string): Note => ({ type: 'Warning', reason, message });
