import { ApplicationFailure } from '@temporalio/common';
import type { PresentCell } from '../domain/versions/candidate.ts';
import { isUrgent } from '../domain/model/shift-purpose.ts';
import type { Decision, Performable, Shift } from '../domain/model/decision.ts';
import type { ObservedCell } from '../domain/model/observation.ts';
import {
  carryOutRecorded,
  isRecorded,
  doneUnchanged,
  doneStale,
  type CarriedOut,
  type Recorded,
} from '../domain/rollout/record/performed.ts';
import { recordHealthCheck } from '../domain/rollout/record/backoff.ts';
import { resumeLost } from '../domain/rollout/record/lost-run.ts';
import { recordPruned } from '../domain/rollout/record/measurement.ts';
import * as record from '../domain/rollout/record/record.ts';
import type { Run } from '../domain/rollout/record/run.ts';
import type { Hands } from './hands.ts';
import { measure } from './measure.ts';
import type { Telling } from './report-cell.ts';
import { routeOf, type InspectedForwarding, type Route } from '../domain/load-balancers/load-balancer.ts';
import { shiftDone, shiftRequest } from '../domain/rollout/shift.ts';
import type { RolloutState } from '../domain/model/state.ts';

/** What a decision is performed with. */
export interface Situation {
  /** What was decided by. */
  readonly observed: ObservedCell;
  /** What the run knows by now. */
  readonly run: () => Run;
  /** What a write of weights tells on its way. */
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
  if (cell === undefined)
    throw ApplicationFailure.nonRetryable('Expected a Cell, got none.', 'ObjectNotFound');
  return isRecorded(decision)
    ? carryOutRecorded(decision, cell)
    : ask(decision, { ...situation, cell }, hands);
}

/** A decision by which someone outside is asked. */
type Asking = Exclude<Performable, Recorded | { do: 'Remove' | 'Release' }>;

async function ask(
  decision: Asking,
  { observed, run, cell, telling }: Situation & { readonly cell: PresentCell },
  hands: Hands,
): Promise<CarriedOut> {
  const { key } = observed;
  const { state } = run();
  switch (decision.do) {
    case 'Begin': {
      const id = hands.newId().slice(0, 8);
      return doneUnchanged((before, now) =>
        record.recordBegin(before, decision, { id, observed, cell, now }),
      );
    }
    case 'Shift':
      return shift(decision, { observed, cell, state, telling }, hands);
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
      return doneUnchanged(await measure(decision, { observed, cell, rollout: state.rollout }, hands));
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

/** Looks at what a load balancer serves of which no object says so. */
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

interface Shifting {
  readonly observed: ObservedCell;
  readonly cell: PresentCell;
  readonly state: RolloutState;
  readonly telling?: Telling | undefined;
}

/** Makes one write of weights, and takes up what was seen afterwards. */
async function shift(
  decision: Shift,
  { observed, cell, state, telling }: Shifting,
  hands: Hands,
): Promise<CarriedOut> {
  const situation = { observed, cell, state, route: requiredRoute(cell) };
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
  throw ApplicationFailure.nonRetryable('Expected a load balancer block, got none.', 'InvalidObject');
}
