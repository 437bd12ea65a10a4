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
    case 'Bake':
      return normal('Baking', decision.message);
    case 'CheckHealth':
    case 'Pause':
    case 'ReadAnalysis':
    case 'EndAnalysis':
      return undefined;
    case 'Wait':
      return waitEvent(decision);
    case 'Close':
      return closeEvent(decision);
  }
}

function waitEvent(decision: Extract<Decision, { do: 'Wait' }>): Note | undefined {
  switch (decision.for) {
    case 'Health':
      return warning('UnhealthyTargets', decision.message);
    case 'Verdict':
      return warning('Inconclusive', decision.message);
    case 'Freeze':
    case 'Window':
    case 'Resume':
      return normal(`WaitingFor${decision.for}`, decision.message);
    case 'Pause':
    case 'Analysis':
    case 'Hold':
    case 'Settle':
    case 'Bake':
      return undefined;
  }
}

function closeEvent({ outcome, reason, message }: Extract<Decision, { do: 'Close' }>): Note | undefined {
  switch (outcome) {
    case 'Waiting':
      return normal(reason, message);
    case 'Failed':
      return warning(reason, message);
    case 'Completed':
    case 'Reverted':
    case 'Deleted':
      return undefined;
  }
}

/** The Event that tells people that something outside refused. */
export const refusalEvent = (reason: string, message: string): Note => warning(reason, message);

const normal = (reason: string, message: string): Note => ({ type: 'Normal', reason, message });
const warning = (reason: string, message: string): Note => ({ type: 'Warning', reason, message });
