import type { Decision } from '../model/decision.ts';

/** What a decision does, in a word or two, for tables of tests. */
export function labelOf(decision: Decision): string {
  switch (decision.do) {
    case 'StartMeasurement':
    case 'ReadMeasurement':
    case 'TerminateMeasurement': {
      const verb = decision.do.replace('Measurement', '');
      return `${verb} ${decision.background === undefined ? '' : 'background '}${decision.kind}`;
    }
    default:
      return decision.do;
  }
}
