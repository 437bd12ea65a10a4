/** How fast writes may be sent. */
export interface WriteRate {
  readonly perSecond: number;
  /** How many may be sent at once after a rest. */
  readonly burst: number;
}

/** A place in a line of those that wait for a write. It is shown when its turn has come, and dropped once it was granted. */
export interface Ticket {
  readonly urgent: boolean;
  readonly number: number;
  /** Among those that are urgent: how many kinds of them go before it; left out, none. */
  readonly rank?: number;
}

/** One write that someone wants to send. */
export interface WriteRequest {
  /** Whether it takes traffic back, and so goes before all that does not. */
  readonly urgent: boolean;
  /** Of what is urgent, how much of the traffic it takes back, in percent: the most goes first. Left out, it goes before all others. */
  readonly percent?: number | undefined;
  /** What the last answer was, when that was to wait. */
  readonly ticket?: Ticket | undefined;
}

/** Whether the write may be sent now, or when to ask again, and with what ticket. */
export type Grant =
  | { readonly is: 'Granted' }
  | {
      readonly is: 'Wait';
      readonly ticket: Ticket;
      /** Milliseconds since the epoch, by the clock of who answers. */
      readonly notBefore: number;
      /** The same from now on, which does not depend on whose clock is right. */
      readonly waitMs: number;
    };

/** What is known of the writes to one account and region; all times are milliseconds since the epoch. */
export interface BudgetState {
  /** The latest time at which it was looked at. */
  readonly at: number;
  /** The milliseconds between two writes by which the times here were computed. */
  readonly spacing: number;
  /** When all that was granted is made up for; it may be ahead by the burst. This alone keeps the rate, whatever tickets say. */
  readonly meter: number;
  /** The same with all that was counted without a turn and is not urgent, which what is urgent does not wait for; left out where it is no later. */
  readonly owed?: number | undefined;
  readonly usual: Line;
  /** Those that take the most traffic back. */
  readonly urgent: Line;
  /** Those that take less back, a tenth less in each line; left out where nobody has come so far. */
  readonly later?: readonly Line[] | undefined;
}

/** Those that wait: the ticket before `next` has its turn one spacing before `tail`, and so on backwards. */
export interface Line {
  readonly next: number;
  readonly tail: number;
}

/** How many lines there are of what is urgent. */
export const URGENT_LINES = 10;
/** The line of all that is not. */
const USUAL = URGENT_LINES;
/** Before the first line. */
const BEFORE_ALL = -1;

/** The answer to a request, and what to keep of it. */
export interface Taken {
  readonly state: BudgetState;
  readonly grant: Grant;
}

/** How far apart the clocks of workers may be. Beyond that nobody is held up by the one ahead, and the rate is not kept. */
export const MAX_SKEW_MS = 10_000;
/** The longest that a throttled write holds the others back. */
export const MAX_PENALTY_MS = 10_000;
/** How late one may come for its turn and still keep its place when others have used the room meanwhile. */
const LATE_MS = 2_000;
/** How many are sent for one turn: a sample of a Check asks for its value, for minSamples, and for five baselines. */
const MOST_FOR_ONE_TURN = 7;

/** The whole milliseconds between two writes, rounded up so that the times add up exactly. */
export const spacingOf = ({ perSecond }: WriteRate): number => Math.max(1, Math.ceil(1000 / perSecond));

/** The budget after writes of which nothing is known: slow rather than fast. One write of the urgent kind is left. */
export const emptyBudget = (now: number, rate: WriteRate): BudgetState =>
  budgetFrom(now + burstMs(rate) + spacingOf(rate), now, rate);

/** The budget after a rest. */
export const fullBudget = (now: number, rate: WriteRate): BudgetState => budgetFrom(now, now, rate);

/** Answers a request: granted when its turn has come and the rate has room. */
export function takeWrite(before: BudgetState, request: WriteRequest, now: number, rate: WriteRate): Taken {
  const state = upToDate(before, now, rate);
  const room = roomAt(state, request.urgent, rate);
  const ticket = knownTicket(state, request);
  const rank = ticket === undefined ? rankOf(request) : rankIn(ticket);
  const turn = ticket === undefined ? endOfLine(state, rank) : turnOf(state, ticket);
  if (turn <= now && room <= now) return granted(state, { rank, isNew: ticket === undefined, now, rate });
  if (ticket === undefined) return lineUp(state, { rank, room, now });
  if (turn > now) return wait(state, ticket, { until: Math.max(turn, room), now });
  if (now - turn > Math.max(LATE_MS, state.spacing)) return lineUp(state, { rank, room, now });
  // Others that came late took the room. The whole line moves, so that it keeps its order.
  return wait(moveLine(state, rank, room - turn), ticket, { until: room, now });
}

/**
 * Counts a write that waits for no turn, because it belongs to another that was sent: all who wait do so the longer. But the
 * one write that is kept for what is urgent is left to it.
 */
export function chargeWrite(
  before: BudgetState,
  { urgent }: Pick<WriteRequest, 'urgent'>,
  now: number,
  rate: WriteRate,
): BudgetState {
  const state = upToDate(before, now, rate);
  const most = urgent ? latestMeter(now, rate) : now + burstMs(rate) + state.spacing;
  // What takes traffic back waits for all others of its kind, and so for no more of them than the meter counts.
  const owed = urgent ? latestMeter(now, rate) : latestOwed(now, rate);
  const spent = spend(state, { now, most, owed });
  // Nobody waits as long as there is room.
  if (roomAt(state, false, rate) <= now) return spent;
  const isBeforeAll = urgent && roomAt(state, true, rate) > now;
  const by = Math.max(allOf(spent), now) - Math.max(allOf(state), now);
  return moveBehind(spent, isBeforeAll ? BEFORE_ALL : USUAL - 1, by);
}

/** Holds all writes back for a time, because ELBv2 throttles nonetheless: others share the account. Several at once count as one. */
export function penalise(before: BudgetState, ms: number, now: number, rate: WriteRate): BudgetState {
  const { owed = 0, ...state } = upToDate(before, now, rate);
  const penalty = Math.ceil(Math.min(Math.max(0, ms), MAX_PENALTY_MS));
  const meter = Math.max(state.meter, now + burstMs(rate) + state.spacing + penalty);
  return { ...state, meter, ...owing(meter, owed) };
}

function budgetFrom(meter: number, now: number, rate: WriteRate): BudgetState {
  // Numbers begin at the time, so that tickets of a state that was lost are older than all new ones.
  const line = { next: now, tail: now };
  return { at: now, spacing: spacingOf(rate), meter, usual: line, urgent: line };
}

const burstMs = (rate: WriteRate): number => (Math.max(1, rate.burst) - 1) * spacingOf(rate);

/** Moves a state to the clock and the rate of who looks at it. */
function upToDate(state: BudgetState, now: number, rate: WriteRate): BudgetState {
  const spacing = spacingOf(rate);
  // A clock that was far ahead would otherwise hold everybody up until the others have reached it.
  const back = state.at - now > MAX_SKEW_MS ? state.at - now : 0;
  const moved = (time: number): number => {
    const ahead = time - back - now;
    return ahead <= 0 ? time - back : now + Math.ceil((ahead * spacing) / state.spacing);
  };
  const latest = latestMeter(now, rate);
  const meter = Math.min(moved(state.meter), latest);
  return {
    at: Math.max(state.at - back, now),
    spacing,
    meter,
    ...owing(meter, Math.min(moved(state.owed ?? 0), latestOwed(now, rate))),
    usual: { ...state.usual, tail: moved(state.usual.tail) },
    urgent: { ...state.urgent, tail: moved(state.urgent.tail) },
    ...(state.later === undefined
      ? {}
      : { later: state.later.map((line) => ({ ...line, tail: moved(line.tail) })) }),
  };
}

const latestMeter = (now: number, rate: WriteRate): number =>
  now + burstMs(rate) + 2 * spacingOf(rate) + MAX_PENALTY_MS;

// However slow the rate is, all that was sent for one turn is counted.
const latestOwed = (now: number, rate: WriteRate): number =>
  Math.max(latestMeter(now, rate), now + burstMs(rate) + MOST_FOR_ONE_TURN * spacingOf(rate));

const owing = (meter: number, owed: number): Pick<BudgetState, 'owed'> => (owed > meter ? { owed } : {});

/** When all is made up for, what is not urgent included. */
const allOf = ({ meter, owed = meter }: BudgetState): number => owed;

/** When the rate has room for one more. One write beyond the burst is kept for what is urgent, which puts it before all others. */
const roomAt = (state: BudgetState, urgent: boolean, rate: WriteRate): number =>
  (urgent ? state.meter - state.spacing : allOf(state)) - burstMs(rate);

/** Counts one write; beyond `most` it is owed, and beyond `owed` it is not counted. */
function spend(
  state: BudgetState,
  { now, most, owed }: { readonly now: number; readonly most: number; readonly owed: number },
): BudgetState {
  const { owed: _before, spacing, ...others } = state;
  const meter = Math.max(state.meter, Math.min(Math.max(state.meter, now) + spacing, most));
  const all = Math.max(allOf(state), Math.min(Math.max(allOf(state), now) + spacing, owed));
  return { ...others, spacing, meter, ...owing(meter, all) };
}

/** The line of a request: what takes back the most goes first, and what is not urgent comes last. */
const rankOf = ({ urgent, percent = 100 }: WriteRequest): number =>
  urgent ? URGENT_LINES - 1 - Math.min(URGENT_LINES - 1, Math.max(0, Math.floor(percent / 10))) : USUAL;

const rankIn = ({ urgent, rank = 0 }: Ticket): number => (urgent ? rank : USUAL);

// A line that nobody has come to begins as the first did.
const lineOf = ({ usual, urgent, later }: BudgetState, rank: number): Line =>
  rank === USUAL ? usual : rank === 0 ? urgent : (later?.[rank - 1] ?? { next: urgent.next, tail: 0 });

function withLine(state: BudgetState, rank: number, line: Line): BudgetState {
  if (rank === USUAL) return { ...state, usual: line };
  if (rank === 0) return { ...state, urgent: line };
  const later = Array.from({ length: URGENT_LINES - 1 }, (_, index) =>
    index === rank - 1 ? line : lineOf(state, index + 1),
  );
  return { ...state, later };
}

/** When a line has passed, and all that go before it. */
const endOfLine = (state: BudgetState, rank: number): number =>
  Math.max(...Array.from({ length: rank + 1 }, (_, before) => lineOf(state, before).tail));

function knownTicket(state: BudgetState, { urgent, ticket }: WriteRequest): Ticket | undefined {
  const isKnown =
    ticket !== undefined &&
    ticket.urgent === urgent &&
    isRank(ticket.rank) &&
    Number.isSafeInteger(ticket.number) &&
    ticket.number < lineOf(state, rankIn(ticket)).next;
  return isKnown ? ticket : undefined;
}

const isRank = (rank = 0): boolean => Number.isInteger(rank) && rank >= 0 && rank < URGENT_LINES;

function turnOf(state: BudgetState, ticket: Ticket): number {
  const { next, tail } = lineOf(state, rankIn(ticket));
  return tail - (next - ticket.number) * state.spacing;
}

function granted(
  state: BudgetState,
  to: { readonly rank: number; readonly isNew: boolean; readonly now: number; readonly rate: WriteRate },
): Taken {
  const { now, rate } = to;
  const spent = spend(state, { now, most: latestMeter(now, rate), owed: latestOwed(now, rate) });
  // Those that waited in the line of the urgent have moved the others when they lined up.
  const isAhead = to.rank !== USUAL && to.isNew && roomAt(state, false, rate) > now;
  return {
    state: isAhead ? moveBehind(spent, to.rank, state.spacing) : spent,
    grant: { is: 'Granted' },
  };
}

function lineUp(
  state: BudgetState,
  { rank, room, now }: { readonly rank: number; readonly room: number; readonly now: number },
): Taken {
  const turn = Math.max(endOfLine(state, rank), room);
  const { next } = lineOf(state, rank);
  const line = { next: next + 1, tail: turn + state.spacing };
  const after = moveBehind(withLine(state, rank, line), rank, state.spacing);
  const ticket = {
    urgent: rank !== USUAL,
    number: next,
    ...(rank === USUAL || rank === 0 ? {} : { rank }),
  };
  return wait(after, ticket, { until: turn, now });
}

/** Moves all lines that come after one. */
function moveBehind(state: BudgetState, rank: number, by: number): BudgetState {
  let moved = state;
  const last = state.later === undefined ? 0 : URGENT_LINES - 1;
  for (let behind = rank + 1; behind <= last; behind += 1) moved = moveLine(moved, behind, by);
  return rank === USUAL ? moved : moveLine(moved, USUAL, by);
}

function moveLine(state: BudgetState, rank: number, by: number): BudgetState {
  const line = lineOf(state, rank);
  return withLine(state, rank, { ...line, tail: line.tail + by });
}

function wait(
  state: BudgetState,
  ticket: Ticket,
  { until, now }: { readonly until: number; readonly now: number },
): Taken {
  return { state, grant: { is: 'Wait', ticket, notBefore: until, waitMs: until - now } };
}
