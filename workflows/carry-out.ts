import { ApplicationFailure } from '@temporalio/common';
import type { PresentCell } from '../domain/versions/candidate.ts';
import { isUrgent } from '../domain/model/shift-purpose.ts';
import type {
  Decision,
  Performable,
  Shift,
  Measurement,
  StartMeasurement,
} from '../domain/model/decision.ts';
import type { ObservedCell } from '../domain/model/observation.ts';
import {
  carryOutRecorded,
  isRecorded,
  doneUnchanged,
  doneStale,
  type CarriedOut,
  type Recorded,
  type Change,
} from '../domain/rollout/record/performed.ts';
import { recordHealthCheck } from '../domain/rollout/record/backoff.ts';
import { resumeLost } from '../domain/rollout/record/lost-run.ts';
import { recordPruned, recordVerdict, recordTermination } from '../domain/rollout/record/measurement.ts';
import * as record from '../domain/rollout/record/record.ts';
import type { Run } from '../domain/rollout/record/run.ts';
import type { Telling } from './report-cell.ts';
import {
  routeOf,
  type InspectedForwarding,
  type Route,
  listenerARNOf,
} from '../domain/load-balancers/load-balancer.ts';
import { shiftDone, shiftRequest } from '../domain/rollout/shift.ts';
import type { Rollout } from '../domain/model/state.ts';
import { countVerdict, type ReadVerdict, measurementName } from '../domain/rollout/measure/measurement.ts';
import type { Activities } from '../activities/contract.ts';
import type { MeasuringActivities } from './activities.ts';

/** What a decision is performed with. */
export interface Situation {
  readonly observed: ObservedCell;
  readonly run: () => Run;
  readonly telling?: Telling | undefined;
}

/** Carries out one decision, by whatever has activities performed. */
export async function carryOut(
  decision: Performable,
  situation: Situation,
  hands: Hands,
): Promise<CarriedOut> {
  const { cell } = situation.observed;
  if (decision.do === 'Remove' || decision.do === 'Release') return letGo(decision, situation, hands);
  if (cell === undefined) throw ApplicationFailure.nonRetryable('Cell not found.', 'ObjectNotFound');
  return isRecorded(decision)
    ? carryOutRecorded(decision, cell)
    : ask(decision, { ...situation, cell }, hands);
}

type Asking = Exclude<Performable, Recorded | { do: 'Remove' | 'Release' }>;

async function ask(
  decision: Asking,
  situation: Situation & { readonly cell: PresentCell },
  hands: Hands,
): Promise<CarriedOut> {
  const { observed, run, cell } = situation;
  const { key } = observed;
  switch (decision.do) {
    case 'Begin': {
      const id = hands.newId().slice(0, 8);
      return doneUnchanged((before, now) =>
        record.recordBegin(before, decision, { id, observed, cell, now }),
      );
    }
    case 'Shift':
      return shift(decision, situation, hands);
    case 'Inspect': {
      const found = await inspect(decision, { observed, cell }, hands);
      return doneUnchanged((before) => record.recordInspection(before, found));
    }
    case 'CheckHealth': {
      const found = await hands.elbv2Reads(decision.message).readTargetHealth(decision.targetGroupARNs);
      return doneUnchanged((before, now) =>
        recordHealthCheck(before, found, decision, { observed, cell, now }),
      );
    }
    case 'Prune': {
      const { successfulRunHistoryLimit, unsuccessfulRunHistoryLimit } = cell.spec.analysis ?? {};
      const limits = { successful: successfulRunHistoryLimit, unsuccessful: unsuccessfulRunHistoryLimit };
      await hands.measurements(decision.message).pruneMeasurements({ key, atRestAt: Date.now(), ...limits });
      return doneUnchanged(recordPruned);
    }
    case 'ReadLostRun': {
      const { workflowId } = cell.status.rollout ?? { workflowId: '' };
      const ended = await hands.objects(decision.message).readLostRun({ workflowId, runId: decision.runId });
      const { weighted, selected } = observed;
      return doneStale((before, now) => resumeLost(before, { cell, weighted, selected, now }, ended));
    }
    default:
      return doneUnchanged(await measure(decision, { observed, cell, rollout: run().state.rollout }, hands));
  }
}

/** Removes or releases what the configuration of a Cell that is gone, or that has lost it, has made. */
async function letGo(
  decision: Extract<Decision, { do: 'Remove' | 'Release' }>,
  { observed }: Situation,
  hands: Hands,
): Promise<CarriedOut> {
  const ref = { type: observed.configType ?? 'AWSApplicationLoadBalancer', key: observed.key } as const;
  if (decision.do === 'Release') {
    await hands.objects(decision.message).releaseLoadBalancer(ref);
    return doneStale(record.withoutInspected);
  }
  await hands.configs(decision.message).removeLoadBalancer({ ref });
  return doneStale(record.withoutInspected);
}

function inspect(
  { message }: Extract<Decision, { do: 'Inspect' }>,
  { observed: { key, selected }, cell }: { readonly observed: ObservedCell; readonly cell: PresentCell },
  hands: Hands,
): Promise<InspectedForwarding> {
  return hands.elbv2Reads(message).inspectLoadBalancer({
    key,
    route: requiredRoute(cell),
    selected: selected.map(({ name, arn }) => ({ name, arn })),
    adopt: cell.adopt === true,
  });
}

async function shift(
  decision: Shift,
  { observed, run, cell, telling }: Situation & { readonly cell: PresentCell },
  hands: Hands,
): Promise<CarriedOut> {
  const situation = { observed, cell, state: run().state, route: requiredRoute(cell) };
  const request = shiftRequest(decision, situation);
  const result = await hands
    .traffic(decision.message, isUrgent(decision))
    .shiftTraffic(telling === undefined ? request : { ...request, report: telling.report });
  if (result.told !== undefined) telling?.answered(result.told);
  return shiftDone(decision, request, result, situation);
}

function requiredRoute({ spec }: PresentCell): Route {
  const route = routeOf(spec);
  if (route !== undefined) return route;
  throw ApplicationFailure.nonRetryable('Load balancer block not found in spec.ingress.', 'InvalidObject');
}

interface Cause {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly rollout: Rollout | undefined;
}

/** Starts, reads or terminates what a rollout measures; what comes of it is a change of the state. */
async function measure(decision: Measurement, { rollout, ...cause }: Cause, hands: Hands): Promise<Change> {
  if (rollout === undefined) throw ApplicationFailure.nonRetryable('Rollout not found.', 'InvalidObject');
  const { namespace } = cause.observed.key;
  switch (decision.do) {
    case 'StartMeasurement': {
      const verdict = await start(decision, { ...cause, rollout }, hands);
      return (state, now) => recordVerdict(state, decision, countVerdict(verdict, decision, state), now);
    }
    case 'ReadMeasurement': {
      const { kind, name, message } = decision;
      const verdict = await hands.measurements(message)[reading[kind]]({ namespace, name });
      return (state, now) => recordVerdict(state, decision, countVerdict(verdict, decision, state), now);
    }
    case 'TerminateMeasurement': {
      const { kind, name, message } = decision;
      const verdict = await hands.measurements(message)[terminating[kind]]({ namespace, name });
      return (state, now) => recordTermination(state, decision, verdict ?? undefined, now);
    }
  }
}

const reading = {
  AnalysisRun: 'readAnalysis',
  Experiment: 'readExperiment',
  Check: 'readCheck',
  Job: 'readJob',
} as const;
const terminating = {
  AnalysisRun: 'terminateAnalysis',
  Experiment: 'terminateExperiment',
  Check: 'terminateCheck',
  Job: 'terminateJob',
} as const;

function start(
  decision: StartMeasurement,
  { observed, cell, rollout }: Cause & { readonly rollout: Rollout },
  hands: Hands,
): Promise<ReadVerdict> {
  const to = hands.measurements(decision.message);
  const request = {
    cell: { key: observed.key, uid: cell.uid },
    rollout: rollout.id,
    desiredVersion: rollout.canary.version,
    name: measurementName(decision, observed.key.name, rollout),
  };
  if (decision.kind === 'Experiment')
    return to.startExperiment({ ...request, step: rollout.index, experiment: decision.experiment });
  if (decision.kind === 'Job') return to.startJob({ ...request, step: rollout.index, job: decision.job });
  if (decision.kind === 'Check') {
    const { canary, stable, index: step } = rollout;
    const route = routeOf(cell.spec);
    const listenerARN = (route && listenerARNOf(route)) ?? '';
    return to.startCheck({ ...request, step, check: decision.check, listenerARN, canary, stable });
  }
  const { analysis, background } = decision;
  const mayBeEndless = background !== undefined;
  return to.startAnalysis({ ...request, step: background ?? rollout.index, analysis, mayBeEndless });
}

type By<Name extends keyof Activities> = (summary: string) => Pick<Activities, Name>;

/** What carries decisions out: activities, by what is said of them, and where random ids come from. */
export interface Hands {
  readonly objects: By<'readLostRun' | 'releaseLoadBalancer'>;
  readonly measurements: (summary: string) => MeasuringActivities;
  readonly elbv2Reads: By<'readTargetHealth' | 'inspectLoadBalancer'>;
  readonly traffic: (summary: string, urgent: boolean) => Pick<Activities, 'shiftTraffic'>;
  readonly configs: By<'removeLoadBalancer'>;
  readonly newId: () => string;
}
