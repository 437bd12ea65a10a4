import type { CellStatus } from '../../crds/cell.ts';
import { omit } from '../model/fields.ts';
import type { ReportedEvent } from '../rollout/report/events.ts';
import {
  isAtHand,
  type ApplicationAction,
  type ApplicationsDecision,
  type ApplicationsWait,
  type Step,
} from './situation.ts';
import { clustersHold, clusterStatuses, holdOf, UNSEEN, waitedForAgain } from './holds.ts';
import { judge } from './judge.ts';
import type { ObservedApplications } from './observation.ts';
import { hear, type Heard } from './requests.ts';
import { retriesOf, triedAgainAt, type ApplicationsState, type Forwarded } from './state.ts';
import { applicationsStatusOf, type Judged, type ApplicationsStatusInput } from './status.ts';

/** What a turn has come to; the status is written before the decision is performed. */
export interface ApplicationsTurn {
  readonly state: ApplicationsState;
  readonly decision: ApplicationsDecision;
  /** Undefined when there is nothing to report on. */
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
  const look = { observed, cell, heard, ...lookedAt(observed, cell, { heard, now }), now };
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

/** How the clusters stand, and what they hold; as before when nobody has looked at them. */
function lookedAt(
  { clusters: observed, isWithoutClusters }: ObservedApplications,
  { spec, status, generation }: ApplicationsStatusInput['cell'],
  { heard, now }: { readonly heard: Heard; readonly now: number },
): Pick<ApplicationsStatusInput, 'clusters' | 'gate'> {
  const before = status.clusters ?? [];
  const isAskedAgain = heard.isRetried || status.observedGeneration !== generation;
  if (isWithoutClusters === true)
    return { clusters: isAskedAgain ? waitedForAgain(before, now) : before, gate: UNSEEN };
  const clusters = clusterStatuses({ spec, observed, before, isAskedAgain, now });
  return { clusters, gate: clustersHold(spec, clusters, now) };
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
    const hold = holdOf({ spec, paused: heard.paused, clusters: gate, freezes, ahead, now });
    const of = {
      cell: observed.key.name,
      spec,
      application,
      seen,
      secrets,
      others,
      hold,
      problems,
      isUnknown,
    };
    const judgement = judge({ ...of, marks: heard.marks, now });
    const trouble = judgement.step.is === 'Act' ? troubles[name] : undefined;
    judged.push({ name, ...judgement, trouble });
  }
  return judged;
}

/** What keeps failing, of what is still to be done. */
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

type Act = Extract<Step, { is: 'Act' }>;

/** The one thing to do: what goes back first, then what operators have asked, then what goes forward; in a look without clusters, only what waits for nothing that may not answer. */
function next(
  judged: readonly Judged[],
  { forwards, troubles }: ApplicationsState,
  { wait, now, isAtHandOnly }: { wait: ApplicationsWait; now: number; isAtHandOnly: boolean },
): ApplicationsDecision {
  const isFree = (name: string): boolean => (troubles[name]?.until ?? 0) <= now;
  const isFreeAtHand = (name: string, action: ApplicationAction): boolean =>
    triedAgainAt(troubles[name], action) <= now;
  const isDue = (name: string, { way, action }: Act): boolean =>
    way === 'Back' && isAtHand(action) ? isFreeAtHand(name, action) : isFree(name);
  const acts = judged.flatMap(({ name, step }) =>
    step.is === 'Act' && isDue(name, step) && (!isAtHandOnly || isAtHand(step.action))
      ? [{ name, step }]
      : [],
  );
  const act = acts.find(({ step }) => step.way === 'Back');
  if (act !== undefined) return doing(act.name, act.step);
  const request = firstOfEach(forwards).find((one) => isFreeAtHand(one.application, forward(one)));
  if (request !== undefined) {
    const { application, request: asked, by } = request;
    const message = `Handing ${asked} of ${by} on to application ${application}.`;
    return { do: 'Act', application, action: forward(request), message };
  }
  const [first] = acts;
  if (first !== undefined) return doing(first.name, first.step);
  const untils = Object.values(troubles).flatMap((trouble) => retriesOf(trouble, now));
  return untils.length === 0 ? wait : { ...wait, until: Math.min(wait.until ?? Infinity, ...untils) };
}

const forward = (asked: Forwarded): ApplicationAction => ({ do: 'Forward', ...omit(asked, 'application') });

/** What each application is to hear of next; it hears of all in their order. */
const firstOfEach = (forwards: readonly Forwarded[]): readonly Forwarded[] =>
  forwards.filter((one) => one === forwards.find(({ application }) => application === one.application));

const doing = (application: string, { action, message, way }: Act): ApplicationsDecision => ({
  do: 'Act',
  application,
  action,
  ...(way === 'Back' ? { isBack: true } : {}),
  message: `${application}: ${message}`,
});
