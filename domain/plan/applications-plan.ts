import type { ApplicationAction, ApplicationsWait } from '../applications/situation.ts';
import { initialApplicationsState, performed, type ApplicationsState } from '../applications/state.ts';
import { takeApplicationsTurn } from '../applications/turn.ts';
import { ApplicationsFuture, type ApplicationsAsSeen } from './applications-future.ts';
import type { Ahead, PlannedEvent } from './run-ahead.ts';

/** One thing that is done for an application, or waited for. */
export interface PlannedAction extends Omit<PlannedEvent, 'is'> {
  readonly is: PlannedEvent['is'] | 'Act';
  /** Undefined: it is about the whole Cell. */
  readonly application?: string;
  /** What is done, where it is not done by the Cell of the application. */
  readonly action?: ApplicationAction;
}

/** What a Cell with applications is going to do, and what is wrong with it. */
export interface ApplicationsPlan {
  readonly actions: readonly PlannedAction[];
  /** The revision that each application comes to, in the order of the spec. */
  readonly revisions: readonly { readonly application: string; readonly revision: number }[];
  /** How it stands in the end, or what it waits for then. */
  readonly end: ApplicationsWait;
  readonly assumed: readonly string[];
  readonly problems: readonly string[];
}

/** More turns than Cells with the most applications, checks and steps take. */
const MOST_TURNS = 5_000;

/** Runs a Cell with applications ahead, in memory, until all are in place, or until it is stuck. */
export function planApplications(
  seen: ApplicationsAsSeen,
  { now: from, assumed }: { readonly now: number; readonly assumed: readonly string[] },
): ApplicationsPlan {
  const world = new ApplicationsFuture(seen);
  const actions: PlannedAction[] = [];
  let state: ApplicationsState = initialApplicationsState;
  let now = from;
  for (let turns = 0; turns < MOST_TURNS; turns += 1) {
    const turn = takeApplicationsTurn(world.seen, state, now);
    if (turn.report !== undefined) world.report(turn.report.status);
    ({ state } = turn);
    const { decision } = turn;
    if (decision.do === 'Act') {
      const { application, action, message } = decision;
      actions.push({ at: now, is: 'Act', application, action, does: message.slice(application.length + 2) });
      const ahead = world.perform(application, action, now);
      state = performed(state, application, action, now);
      const moved = ahead === undefined ? [] : movesOf(ahead);
      actions.push(...moved.map((event) => ({ ...event, application })));
      if (ahead !== undefined) now = Math.max(now, endOf(ahead));
      continue;
    }
    if (decision.do !== 'Wait') throw new TypeError(`Expected a Cell that stays, got ${decision.do}.`);
    const passed = pass(decision, { world, state, now });
    if (passed === undefined) return { ...outcome(world, decision), actions, assumed };
    actions.push({ at: now, is: 'Wait', does: decision.message, ...passed.assumes });
    ({ state, now } = passed);
  }
  throw new TypeError(`Expected the applications to come to an end within ${MOST_TURNS} turns.`);
}

/** What the Cell of an application does until it serves; afterwards it only tidies up. */
const movesOf = ({ events }: Ahead): readonly PlannedEvent[] =>
  events.filter(({ afterwards }) => afterwards !== true);

const endOf = ({ events, now }: Ahead): number => events.find(({ afterwards }) => afterwards)?.at ?? now;

interface Passing {
  readonly world: ApplicationsFuture;
  readonly state: ApplicationsState;
  readonly now: number;
}

/** Lets what is waited for happen; undefined when nobody can take it for granted, or nothing is left to do. */
function pass(
  { reason, phase, until }: ApplicationsWait,
  { world, state, now }: Passing,
): (Omit<Passing, 'world'> & { readonly assumes: Pick<PlannedEvent, 'assumes'> }) | undefined {
  if (phase === 'Completed') return undefined;
  if (reason === 'Paused') {
    const asked = [...state.asked, { action: 'resume' as const, by: 'okractl plan', reason: '', at: now }];
    return { state: { ...state, asked }, now, assumes: { assumes: 'someone sends resume at once' } };
  }
  if (until !== undefined && until > now) return { state, now: until, assumes: {} };
  if (reason !== 'WaitingForFreeze') return undefined;
  world.lift();
  return { state, now, assumes: { assumes: 'the Freeze is lifted at once' } };
}

function outcome(
  world: ApplicationsFuture,
  end: ApplicationsWait,
): Pick<ApplicationsPlan, 'end' | 'revisions' | 'problems'> {
  const { cell, applications } = world.seen;
  const wrong = applications.flatMap(({ name, resolved }) =>
    resolved.ok ? [] : resolved.problems.map((problem) => `${name}: ${problem}`),
  );
  const problems = [...(cell?.problems ?? []), ...wrong];
  return {
    end,
    revisions: applications.flatMap(({ name, revisions: [newest] }) =>
      newest === undefined ? [] : [{ application: name, revision: newest.number }],
    ),
    problems: [...new Set(problems.length === 0 && end.phase !== 'Completed' ? [end.message] : problems)],
  };
}
