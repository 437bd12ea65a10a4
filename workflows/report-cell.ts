import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { Decision } from '../domain/model/decision.ts';
import { recordReportFailure } from '../domain/rollout/record/backoff.ts';
import { withState } from '../domain/rollout/record/run.ts';
import type { CellReport, ReportOutcome } from '../domain/rollout/report/events.ts';
import { dueReport, recordReport } from '../domain/rollout/turn.ts';
import { rolloutDetailsOf } from '../domain/model/view.ts';
import { objects } from './activities.ts';
import { failureOf } from './failure.ts';
import { interruptible } from './interruptible.ts';
import type { LiveRun } from './live-run.ts';
import { OKRA_PHASE, OKRA_VERSION } from './messages.ts';

/** A report that is due, and what takes up what became of it. */
export interface Telling {
  readonly report: CellReport;
  readonly answered: (answer: ReportOutcome) => void;
}

/** Shows where the rollout stands in the Web UI and in the search attributes; answers with what is to be written to the Cell's status, if anything. */
export function show(live: LiveRun, decision: Decision): Telling | undefined {
  const sent = live.run();
  const due = dueReport(sent, decision, { workflow: workflowInfo(), now: Date.now() });
  if (due === undefined) return undefined;
  const { status, events, cell, isNewPhase } = due;
  setCurrentDetails(rolloutDetailsOf({ ...sent.state, reported: status }));
  if (due.is === 'Later') return undefined;
  const answered = (answer: ReportOutcome): void => {
    if (answer.is === 'Told') live.change((now) => recordReport(now, sent, status));
    else live.change((now) => withState(now, (state) => recordReportFailure(state, answer, Date.now())));
  };
  if (due.is === 'Same') {
    answered({ is: 'Told' });
    return undefined;
  }
  if (isNewPhase) {
    upsertSearchAttributes([
      { key: OKRA_PHASE, value: status.phase ?? null },
      { key: OKRA_VERSION, value: status.desiredVersion ?? null },
    ]);
  }
  return { report: { ...cell, status, events }, answered };
}

/** Shows where the rollout stands: in the Cell's status when it has changed, in the Web UI, and in the search attributes. */
export async function report(live: LiveRun, decision: Decision, happened: () => boolean): Promise<void> {
  const telling = show(live, decision);
  if (telling === undefined) return;
  const send = () => objects(`Report: ${telling.report.status.phase ?? ''}`).reportCell(telling.report);
  try {
    const answer = await interruptible(send, { happened });
    if (answer.is === 'Answered') telling.answered({ is: 'Told' });
  } catch (error) {
    telling.answered({ is: 'Refused', ...failureOf(error) });
  }
}
