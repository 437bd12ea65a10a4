import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import type { Decision } from '../domain/model/decision.ts';
import { reportRefused } from '../domain/rollout/record-backoff.ts';
import { remembering } from '../domain/rollout/run.ts';
import { dueReport, told, type DueReport } from '../domain/rollout/turn.ts';
import { rolloutDetailsOf } from '../domain/model/view.ts';
import { objects } from './activities.ts';
import { failureOf } from './failure.ts';
import { interruptible } from './interruptible.ts';
import type { LiveRun } from './live-run.ts';
import { OKRA_PHASE, OKRA_VERSION } from './search-attributes.ts';

/** Shows where the rollout stands: in the Cell's status when it has changed, in the Web UI, and in the search attributes. */
export async function report(live: LiveRun, decision: Decision, happened: () => boolean): Promise<void> {
  const sent = live.run();
  const due = dueReport(sent, decision, { workflow: workflowInfo(), now: Date.now() });
  if (due === undefined) return;
  setCurrentDetails(rolloutDetailsOf({ ...sent.state, reported: due.status }));
  if (due.is === 'Later') return;
  try {
    const isTold = due.is === 'Same' || (await write(due, happened));
    if (isTold) live.change((now) => told(now, sent, due.status));
  } catch (error) {
    const failure = failureOf(error);
    live.change((now) => remembering(now, (state) => reportRefused(state, failure, Date.now())));
  }
}

async function write({ status, events, cell: { key, uid }, isNewPhase }: DueReport, happened: () => boolean) {
  if (isNewPhase) {
    upsertSearchAttributes([
      { key: OKRA_PHASE, value: status.phase ?? null },
      { key: OKRA_VERSION, value: status.desiredVersion ?? null },
    ]);
  }
  const send = () => objects(`Report: ${status.phase ?? ''}`).reportCell({ key, uid, status, events });
  const answer = await interruptible(send, { happened });
  return answer.is === 'Answered';
}
