import { ApplicationFailure } from '@temporalio/common';
import type { PresentCell } from '../domain/versions/candidate.ts';
import { isUrgent } from '../domain/model/shift-purpose.ts';
import type { Decision, Performable, StartMeasurement } from '../domain/model/decision.ts';
import type { ObservedCell } from '../domain/model/observation.ts';
import { carryOut as carryOutWith, type Asked, type Outside } from '../domain/rollout/carry-out.ts';
import { doneStale, type CarriedOut } from '../domain/rollout/record/performed.ts';
import { withoutInspected } from '../domain/rollout/record/record.ts';
import type { Run } from '../domain/rollout/record/run.ts';
import type { CellReport, ReportOutcome } from '../domain/rollout/report/events.ts';
import { routeOf, type Route, listenerARNOf } from '../domain/load-balancers/load-balancer.ts';
import { shiftDone, shiftRequest } from '../domain/rollout/shift.ts';
import { measurementName, type ReadVerdict } from '../domain/rollout/measure/measurement.ts';
import type { Activities } from '../activities/contract.ts';
import type { MeasuringActivities } from './activities.ts';

/** A report that is due, and what takes up what became of it. */
export interface Telling {
  readonly report: CellReport;
  readonly answered: (answer: ReportOutcome) => void;
}

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
  const { observed, run, telling } = situation;
  const { cell } = observed;
  if (decision.do === 'Remove' || decision.do === 'Release') return letGo(decision, situation, hands);
  if (cell === undefined) throw ApplicationFailure.nonRetryable('Cell not found.', 'ObjectNotFound');
  return carryOutWith(decision, { observed, cell, state: run().state }, outsideOf(hands, telling));
}

async function letGo(
  decision: Extract<Decision, { do: 'Remove' | 'Release' }>,
  { observed }: Situation,
  hands: Hands,
): Promise<CarriedOut> {
  const ref = { type: observed.configType ?? 'AWSApplicationLoadBalancer', key: observed.key } as const;
  if (decision.do === 'Release') {
    await hands.objects(decision.message).releaseLoadBalancer(ref);
    return doneStale(withoutInspected);
  }
  await hands.configs(decision.message).removeLoadBalancer({ ref });
  return doneStale(withoutInspected);
}

/** The activities by which decisions are carried out; weights are written with what is to be told before. */
const outsideOf = (hands: Hands, telling: Telling | undefined): Outside => ({
  newRollout: () => hands.newId().slice(0, 8),
  shift: async (decision, { observed, cell, state }) => {
    const request = shiftRequest(decision, { observed, cell, state, route: requiredRoute(cell) });
    const result = await hands
      .traffic(decision.message, isUrgent(decision))
      .shiftTraffic(telling === undefined ? request : { ...request, report: telling.report });
    if (result.told !== undefined) telling?.answered(result.told);
    return shiftDone(decision, request, result, { observed, cell });
  },
  inspect: ({ message }, { observed: { key, selected }, cell }) =>
    hands.elbv2Reads(message).inspectLoadBalancer({
      key,
      route: requiredRoute(cell),
      selected: selected.map(({ name, arn }) => ({ name, arn })),
      adopt: cell.adopt === true,
    }),
  healthOf: ({ message, targetGroupARNs }) => hands.elbv2Reads(message).readTargetHealth(targetGroupARNs),
  prune: ({ message }, { observed: { key }, cell }) => {
    const { successfulRunHistoryLimit, unsuccessfulRunHistoryLimit } = cell.spec.analysis ?? {};
    const limits = { successful: successfulRunHistoryLimit, unsuccessful: unsuccessfulRunHistoryLimit };
    return hands.measurements(message).pruneMeasurements({ key, atRestAt: Date.now(), ...limits });
  },
  endOfLostRun: ({ message, runId }, { cell }) => {
    const { workflowId } = cell.status.rollout ?? { workflowId: '' };
    return hands.objects(message).readLostRun({ workflowId, runId });
  },
  start: (decision, asked) => start(decision, asked, hands),
  read: ({ kind, name, message }, { observed: { key } }) =>
    hands.measurements(message)[reading[kind]]({ namespace: key.namespace, name }),
  terminate: ({ kind, name, message }, { observed: { key } }) =>
    hands.measurements(message)[terminating[kind]]({ namespace: key.namespace, name }),
});

function requiredRoute({ spec }: PresentCell): Route {
  const route = routeOf(spec);
  if (route !== undefined) return route;
  throw ApplicationFailure.nonRetryable('Load balancer block not found in spec.ingress.', 'InvalidObject');
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
  { observed, cell, state: { rollout } }: Asked,
  hands: Hands,
): Promise<ReadVerdict> {
  if (rollout === undefined) throw ApplicationFailure.nonRetryable('Rollout not found.', 'InvalidObject');
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
