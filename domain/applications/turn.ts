import type { CellStatus } from '../../crds/cell.ts';
import type { ReportedEvent } from '../rollout/report/events.ts';
import { decideBy } from '../rules.ts';
import {
  isAtHand,
  type ApplicationAction,
  type ApplicationsDecision,
  type ApplicationsWait,
} from './situation.ts';
import { holdRules, judgeClusters } from './holds.ts';
import { judge } from './judge.ts';
import type { ObservedApplications } from './observation.ts';
import { hear } from './requests.ts';
import { retriesOf, triedAgainAt, type ApplicationsState } from './state.ts';
import { applicationsStatusOf, type Judged, type ApplicationsStatusInput } from './status.ts';

/** What a turn has come to; the status is written before the decision is performed. */
export interface ApplicationsTurn {
  readonly state: ApplicationsState;
  readonly decision: ApplicationsDecision;
  readonly report?: { readonly status: CellStatus; readonly events: readonly Omit<ReportedEvent, 'id'>[] };
}

/** Answers with the one thing to do next for a Cell of applications, and how it stands then. */
export function takeApplicationsTurn(
  observed: ObservedApplications,
  state: ApplicationsState,
  now: number,
): ApplicationsTurn {
  const { cell } = observed;
  if (cell === undefined) {
    return { state, decision: { do: 'Close', reason: 'Deleted', message: 'The Cell is gone.' } };
  }
  if (cell.isDeleting) return { state, decision: { do: 'Release', message: 'The Cell is being deleted.' } };
  const heard = hear(observed, state);
  const { isRetried } = heard;
  const look = { observed, cell, heard, ...judgeClusters(observed, cell, { isRetried, now }), now };
  const judged = judgeAll(look, state);
  const { forwards } = heard;
  const troubles = stillTroubled(judged, { ...state, forwards });
  const answered: ApplicationsState = { ...state, asked: [], forwards, troubles };
  const { status, events, wait } = applicationsStatusOf({ ...look, judged });
  const isAtHandOnly = observed.isWithoutClusters === true || cell.problems.length > 0;
  return {
    state: answered,
    decision: next(judged, answered, { wait, now, isAtHandOnly }),
    report: { status, events },
  };
}

/** Judges the applications in their order; one that is not in place holds those behind it, unless they go in parallel. */
function judgeAll(
  { observed, cell, heard, gate, now }: Omit<ApplicationsStatusInput, 'judged'>,
  { troubles }: ApplicationsState,
): readonly Judged[] {
  const { spec, problems } = cell;
  const { secrets, applications: others, freezes } = observed;
  const isUnknown = observed.clusters.some(({ found }) => found === undefined);
  const judged: Judged[] = [];
  for (const application of spec.applications) {
    const { name } = application;
    const seen = others.find((one) => one.name === name);
    if (seen === undefined) continue;
    const ahead = spec.parallel === true ? undefined : judged.find(({ step }) => step.is !== 'Done')?.name;
    const hold = decideBy(holdRules, { spec, paused: heard.paused, clusters: gate, freezes, ahead, now });
    const judgement = judge({
      cell: observed.key.name,
      spec,
      application,
      seen,
      secrets,
      others,
      marks: heard.marks,
      hold,
      problems,
      isUnknown,
      now,
    });
    const trouble = judgement.step.is === 'Act' ? troubles[name] : undefined;
    judged.push({ name, ...judgement, trouble });
  }
  return judged;
}

const stillTroubled = (
  judged: readonly Judged[],
  { troubles, forwards }: ApplicationsState,
): ApplicationsState['troubles'] =>
  Object.fromEntries(
    Object.entries(troubles).filter(
      ([name]) =>
        judged.some((one) => one.name === name && one.step.is === 'Act') ||
        forwards.some(({ application }) => application === name),
    ),
  );

type Act = Extract<ApplicationsDecision, { do: 'Act' }>;

/** The one thing to do: what goes back first, then what operators have asked, then what goes forward; in a look without clusters, only what waits for nothing that may not answer. */
function next(
  judged: readonly Judged[],
  { forwards, troubles }: ApplicationsState,
  { wait, now, isAtHandOnly }: { wait: ApplicationsWait; now: number; isAtHandOnly: boolean },
): ApplicationsDecision {
  const isDue = (name: string, action: ApplicationAction, isUrgent: boolean): boolean =>
    (isUrgent ? triedAgainAt(troubles[name], action) : (troubles[name]?.until ?? 0)) <= now;
  const acts = judged.flatMap(({ name, step }): Act[] => {
    if (step.is !== 'Act') return [];
    const { action, way, message } = step;
    const isHere = isAtHand(action);
    const isBack = way === 'Back';
    if ((isAtHandOnly && !isHere) || !isDue(name, action, isBack && isHere)) return [];
    const act = { do: 'Act', application: name, action, message: `${name}: ${message}` } as const;
    return [isBack ? { ...act, isBack } : act];
  });
  // An application hears of all in their order.
  const firstOfEach = new Map(forwards.toReversed().map((one) => [one.application, one]));
  const requests = forwards
    .filter((one) => one === firstOfEach.get(one.application))
    .map((one): Act => {
      const { application, ...asked } = one;
      const message = `Handing ${asked.request} of ${asked.by} on to application ${application}.`;
      return { do: 'Act', application, action: { do: 'Forward', ...asked }, message };
    });
  const request = requests.find(({ application, action }) => isDue(application, action, true));
  const act = acts.find(({ isBack }) => isBack) ?? request ?? acts[0];
  if (act !== undefined) return act;
  const untils = Object.values(troubles).flatMap((trouble) => retriesOf(trouble, now));
  return untils.length === 0 ? wait : { ...wait, until: Math.min(wait.until ?? Infinity, ...untils) };
}
