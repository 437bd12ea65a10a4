import type { CellStatus } from '../../crds/cell.ts';
import { omit } from '../model/fields.ts';
import type { ReportedEvent } from '../rollout/report/events.ts';
import {
  isAtHand,
  type ApplicationAction,
  type ApplicationsDecision,
  type Hold,
  type Step,
} from './situation.ts';
import { clustersHold, clusterStatuses, holdOf, UNSEEN, waitedForAgain } from './holds.ts';
import { judge } from './judge.ts';
import type { ObservedApplications } from './observation.ts';
import { hear, type Heard } from './requests.ts';
import { markOf, retriesOf, triedAgainAt, type ApplicationsState, type Forwarded } from './state.ts';
import { applicationsStatusOf, type Judged, type ToldInput } from './status.ts';

/** What a turn has come to; the status is written before the decision is performed. */
export interface ApplicationsTurn {
  readonly state: ApplicationsState;
  readonly decision: ApplicationsDecision;
  /** Undefined when there is nothing to report on. */
  readonly report?: { readonly status: CellStatus; readonly events: readonly Omit<ReportedEvent, 'id'>[] };
}

/** A Cell of applications that is there. */
export type PresentApplications = NonNullable<ObservedApplications['cell']>;

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
  const { clusters, gate } = lookedAt(observed, cell, { heard, now });
  const judged = judgeAll({ observed, cell, heard, state, gate, now });
  const answered: ApplicationsState = {
    ...state,
    asked: [],
    forwards: heard.forwards,
    held: heard.held,
    troubles: stillTroubled(judged, { ...state, forwards: heard.forwards }),
  };
  const told = applicationsStatusOf({ observed, cell, heard, clusters, judged, gate, now });
  const { status, events } = told;
  return {
    state: answered,
    decision: next(judged, answered, {
      wait: told.wait,
      now,
      isAtHandOnly: observed.isWithoutClusters === true || cell.problems.length > 0,
    }),
    report: { status, events },
  };
}

/** How the clusters stand, and what they hold; as before when nobody has looked at them. */
function lookedAt(
  { clusters: observed, isWithoutClusters }: ObservedApplications,
  { spec, status, generation }: PresentApplications,
  { heard, now }: { readonly heard: Heard; readonly now: number },
): Pick<ToldInput, 'clusters' | 'gate'> {
  const before = status.clusters ?? [];
  const isAskedAgain = heard.isRetried || status.observedGeneration !== generation;
  if (isWithoutClusters === true)
    return { clusters: isAskedAgain ? waitedForAgain(before, now) : before, gate: UNSEEN };
  const clusters = clusterStatuses({ spec, observed, before, isAskedAgain, now });
  return { clusters, gate: clustersHold(spec, clusters, now) };
}

interface All {
  readonly observed: ObservedApplications;
  readonly cell: PresentApplications;
  readonly heard: Heard;
  readonly state: ApplicationsState;
  readonly gate: Hold | undefined;
  readonly now: number;
}

/** Judges the applications in their order; one that is not in place holds those behind it, unless they go in parallel. */
function judgeAll({ observed, cell, heard, state, gate, now }: All): readonly Judged[] {
  const isUnknown = observed.clusters.some(({ found }) => found === undefined);
  const judged: Judged[] = [];
  for (const application of cell.spec.applications) {
    const { name } = application;
    const seen = observed.applications.find((one) => one.name === name);
    if (seen === undefined) continue;
    const ahead = cell.spec.parallel === true ? undefined : judged.find(({ step }) => step.is !== 'Done');
    const judgement = judge(
      {
        cell: observed.key.name,
        spec: cell.spec,
        application,
        seen,
        secrets: observed.secrets,
        others: observed.applications,
        marks: heard.marks,
        hold: holdOf({
          spec: cell.spec,
          paused: heard.paused,
          clusters: gate,
          freezes: observed.freezes,
          ahead: ahead?.name,
          now,
        }),
        problems: cell.problems,
        isUnknown,
        now,
      },
      markOf({ applications: [...heard.marks] }, name),
    );
    const trouble = state.troubles[name];
    judged.push({ name, ...judgement, ...(judgement.step.is === 'Act' ? { trouble } : {}) });
  }
  return judged;
}

interface Otherwise {
  readonly now: number;
  /** Whether only that is done which waits for nothing that may not answer. */
  readonly isAtHandOnly: boolean;
  readonly wait: Extract<ApplicationsDecision, { do: 'Wait' }>;
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

/** The one thing to do: what goes back first, then what operators have asked, then what goes forward. */
function next(
  judged: readonly Judged[],
  { forwards, troubles }: ApplicationsState,
  { wait, now, isAtHandOnly }: Otherwise,
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
