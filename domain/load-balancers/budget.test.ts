import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatBudget, parseBudget } from './budget-text.ts';
import {
  chargeWrite,
  emptyBudget,
  fullBudget,
  MAX_PENALTY_MS,
  MAX_SKEW_MS,
  penalise,
  spacingOf,
  takeWrite,
  type BudgetState,
  type Grant,
  type Ticket,
  type WriteRate,
  type WriteRequest,
} from './budget.ts';

const START = 1_700_000_000_000;
const rate: WriteRate = { perSecond: 2, burst: 3 };
const T = 500;

/** A budget with a clock, for one worker or for several. */
class Budget {
  state: BudgetState;
  now = START;
  constructor(state: BudgetState = fullBudget(START, rate)) {
    this.state = state;
  }
  take(urgent = false, ticket?: Ticket, by: WriteRate = rate): Grant {
    return this.ask({ urgent, ticket }, by);
  }
  ask(request: WriteRequest, by: WriteRate = rate): Grant {
    const taken = takeWrite(this.state, request, this.now, by);
    this.state = parseBudget(formatBudget(taken.state), this.now, by);
    return taken.grant;
  }
  charge(urgent: boolean, times = 1): void {
    for (let time = 0; time < times; time += 1)
      this.state = parseBudget(
        formatBudget(chargeWrite(this.state, { urgent }, this.now, rate)),
        this.now,
        rate,
      );
  }
  takeAll(count: number, urgent = false): Grant[] {
    return Array.from({ length: count }, () => this.take(urgent));
  }
}

const waits = (grants: readonly Grant[]): (number | 'Granted')[] =>
  grants.map((grant) => (grant.is === 'Granted' ? 'Granted' : grant.waitMs));
const waitOf = (grant: Grant): number => (grant.is === 'Wait' ? grant.waitMs : 0);
const ticketOf = (grant: Grant | undefined): Ticket => {
  if (grant?.is !== 'Wait') throw new Error(`Expected a ticket, got ${JSON.stringify(grant)}.`);
  return grant.ticket;
};

describe('takeWrite', () => {
  it('grants a burst at once and gives the others turns in their order', () => {
    expect(waits(new Budget().takeAll(6))).toEqual(['Granted', 'Granted', 'Granted', T, 2 * T, 3 * T]);
  });

  it('grants one who comes back in turn, and tells one who comes too early when that is', () => {
    const budget = new Budget();
    const [first, second] = budget.takeAll(5).slice(3);
    budget.now += T;
    expect(budget.take(false, ticketOf(second))).toEqual({ ...second, waitMs: T });
    expect(budget.take(false, ticketOf(first))).toEqual({ is: 'Granted' });
    expect(budget.take()).toMatchObject({ is: 'Wait', waitMs: 2 * T });
  });

  it('puts what is urgent before all that waits, and moves that by as much', () => {
    const budget = new Budget();
    const [first] = budget.takeAll(4).slice(3);
    expect(waits(budget.takeAll(4, true))).toEqual(['Granted', T, 2 * T, 3 * T]);
    expect(budget.take(false, ticketOf(first))).toMatchObject({ waitMs: 5 * T });
    expect(budget.take()).toMatchObject({ waitMs: 6 * T });
  });

  it('puts what comes later behind all that is urgent', () => {
    const budget = new Budget();
    budget.now += 3_600_000;
    expect(waits(budget.takeAll(7, true)).slice(4)).toEqual([T, 2 * T, 3 * T]);
    expect(budget.take()).toMatchObject({ waitMs: 4 * T });
  });

  it('lets what is urgent use what is left of a burst while others wait', () => {
    const budget = new Budget();
    budget.takeAll(6);
    budget.now += 4 * T;
    expect(waits(budget.takeAll(5, true))).toEqual(['Granted', 'Granted', 'Granted', 'Granted', T]);
  });

  it('has what takes the most back go first of all that is urgent, and in their order what takes as much', () => {
    const budget = new Budget();
    budget.takeAll(5, true);
    const percents = [5, 50, 95, 55, 99, 5];
    const tickets = percents.map((percent) => ticketOf(budget.ask({ urgent: true, percent })));
    const turns = tickets.map((ticket) => waitOf(budget.take(true, ticket)) / T);
    // One that came before them waits already.
    expect(turns).toEqual([6, 4, 2, 5, 3, 7]);
    expect(budget.take()).toMatchObject({ waitMs: 8 * T });
    const order = [2, 4, 1, 3, 0, 5];
    budget.now += T;
    for (const index of order) {
      budget.now += T;
      expect(budget.take(true, tickets[index])).toEqual({ is: 'Granted' });
    }
  });

  it('does not let those that were all held up burst later', () => {
    const budget = new Budget();
    const held = budget.takeAll(303).slice(3).map(ticketOf);
    budget.now += 3_600_000;
    const back = held.map((ticket) => budget.take(false, ticket));
    expect(back.filter(({ is }) => is === 'Granted')).toHaveLength(3);
    for (const wait of waits(back).slice(3)) expect(wait).toBeGreaterThanOrEqual(T);
  });

  it('keeps the order of those that come a little late together', () => {
    const budget = new Budget();
    const held = budget.takeAll(11).slice(3).map(ticketOf);
    budget.now += 5 * T;
    const back = held.toReversed().map((ticket) => budget.take(false, ticket));
    expect(back.filter(({ is }) => is === 'Granted')).toHaveLength(3);
    const waiting = held.slice(0, 2).map((ticket) => budget.take(false, ticket));
    expect(waits(waiting)).toEqual([T, 2 * T]);
  });

  it.each<[string, Ticket]>([
    ['of the other kind', { urgent: true, number: START }],
    ['that was never given', { urgent: false, number: START + 1_000_000 }],
    ['between two others', { urgent: false, number: START + 0.5 }],
    ['that is no number', { urgent: false, number: Number.NaN }],
    ['of a budget that was lost', { urgent: false, number: 7 }],
  ])('replaces a ticket %s by one at the end', (_, ticket) => {
    const budget = new Budget();
    const last = ticketOf(budget.takeAll(5).at(-1));
    expect(budget.take(false, ticket)).toMatchObject({
      waitMs: 3 * T,
      ticket: { urgent: false, number: last.number + 1 },
    });
  });

  it('grants a ticket that was used already only what is left', () => {
    const budget = new Budget();
    const used = ticketOf(budget.takeAll(4).at(-1));
    budget.now += T;
    const again = [budget.take(false, used), budget.take(false, used), budget.take(false, used)];
    expect(waits(again)).toEqual(['Granted', T, T]);
  });

  it('leaves out nobody when another worker has another rate', () => {
    const budget = new Budget();
    const last = ticketOf(budget.takeAll(103).at(-1));
    const faster = budget.take(false, last, { perSecond: 20, burst: 3 });
    expect(faster).toMatchObject({ waitMs: 100 * 50 });
    expect(budget.take(false, last)).toMatchObject({ waitMs: 100 * T });
  });

  it('does not make up for a larger burst than its own', () => {
    const budget = new Budget();
    for (let time = 0; time < 100; time += 1) budget.take(false, undefined, { perSecond: 2, burst: 100 });
    expect(waitOf(budget.take())).toBeLessThanOrEqual(MAX_PENALTY_MS + 2 * T);
  });

  it('is not held up by a clock that was an hour ahead', () => {
    const budget = new Budget();
    budget.now += 3_600_000;
    const last = ticketOf(budget.takeAll(5).at(-1));
    budget.now -= 3_600_000;
    expect(budget.take(false, last)).toMatchObject({ waitMs: 2 * T });
    expect(budget.take(true)).toEqual({ is: 'Granted' });
  });
});

describe('chargeWrite', () => {
  it.each([true, false])('takes what is left of a burst, as any write does, urgent: %s', (urgent) => {
    const budget = new Budget();
    budget.charge(urgent, 2);
    expect(waits(budget.takeAll(3))).toEqual(['Granted', T, 2 * T]);
  });

  it('has all wait the longer for what takes traffic back, in the order in which they came', () => {
    const budget = new Budget();
    const [first, second] = budget.takeAll(7, true).slice(4).map(ticketOf);
    const usual = ticketOf(budget.take());
    budget.charge(true, 2);
    const turns = [first, second].map((ticket) => budget.take(true, ticket));
    expect(waits([...turns, budget.take(false, usual)])).toEqual([3 * T, 4 * T, 6 * T]);
    budget.now += 3 * T;
    expect(budget.take(true, first)).toEqual({ is: 'Granted' });
    expect(budget.take(true, second)).toMatchObject({ waitMs: T });
  });

  it('keeps what takes traffic back waiting for nothing else, and has others wait as long as all of it takes', () => {
    const budget = new Budget();
    budget.takeAll(3);
    const waiting = ticketOf(budget.take());
    budget.charge(false, 5);
    expect(budget.take(false, waiting)).toMatchObject({ waitMs: 6 * T });
    expect(budget.take()).toMatchObject({ waitMs: 7 * T });
    expect(waits(budget.takeAll(2, true))).toEqual(['Granted', T]);
  });

  it.each([0.05, 0.4, 20])('has others wait for all queries of one sample, at %s a second', (perSecond) => {
    const by = { perSecond, burst: 2 };
    const budget = new Budget(fullBudget(START, by));
    budget.take(false, undefined, by);
    expect(budget.take(false, undefined, by)).toEqual({ is: 'Granted' });
    // Its own, that for minSamples, and five baselines.
    for (let query = 1; query < 7; query += 1)
      budget.state = chargeWrite(budget.state, { urgent: false }, budget.now, by);
    expect(budget.take(false, undefined, by)).toMatchObject({ waitMs: 7 * spacingOf(by) });
  });

  it.each([0.05, 0.1, 0.4])('holds up what takes traffic back for no longer, at %s a second', (perSecond) => {
    const by = { perSecond, burst: 1 };
    const budget = new Budget(fullBudget(START, by));
    budget.take(true, undefined, by);
    budget.take(true, undefined, by);
    const waiting = ticketOf(budget.take(true, undefined, by));
    for (let other = 0; other < 7; other += 1)
      budget.state = chargeWrite(budget.state, { urgent: true }, budget.now, by);
    expect(waitOf(budget.take(true, waiting, by))).toBeLessThanOrEqual(MAX_PENALTY_MS + spacingOf(by));
  });

  it('shortens no penalty', () => {
    const budget = new Budget();
    budget.state = penalise(budget.state, 1000, budget.now, rate);
    budget.charge(false, 3);
    expect(budget.take(true)).toMatchObject({ waitMs: 1000 });
  });

  it('holds nobody up for longer than a throttled write does', () => {
    const budget = new Budget();
    budget.charge(true, 1_000);
    expect(waitOf(budget.take(true))).toBeLessThanOrEqual(MAX_PENALTY_MS + T);
  });
});

describe('penalise', () => {
  it('holds everything back, what is urgent first again, and counts several at once as one', () => {
    const budget = new Budget();
    const waiting = ticketOf(budget.takeAll(4).at(-1));
    for (let time = 0; time < 10; time += 1) budget.state = penalise(budget.state, 1000, budget.now, rate);
    expect(budget.take(true)).toMatchObject({ waitMs: 1000 });
    expect(budget.take(false, waiting)).toMatchObject({ waitMs: 1000 + T });
    budget.now += T;
    expect(budget.take(false, waiting)).toMatchObject({ waitMs: 1000 });
    budget.now += 1000 + T;
    expect(budget.take(false, waiting)).toEqual({ is: 'Granted' });
  });

  it.each([
    ['never longer than the limit', 3_600_000, MAX_PENALTY_MS],
    ['never shorter than not at all', -5_000, 0],
  ])('holds back %s', (_, ms, want) => {
    const budget = new Budget();
    budget.state = penalise(budget.state, ms, budget.now, rate);
    expect(budget.take()).toMatchObject({ waitMs: want + T });
  });
});

describe('parseBudget', () => {
  const good = new Budget().state;
  it('reads what was written', () => {
    const { state } = takeWrite(good, { urgent: true }, START, rate);
    expect(parseBudget(formatBudget(state), START, rate)).toEqual(state);
  });

  it.each([
    ['nothing', undefined],
    ['no JSON', '{"at":'],
    ['null', 'null'],
    ['a list', '[1]'],
    ['what lacks a line', JSON.stringify({ ...good, urgent: undefined })],
    ['a text for a number', JSON.stringify({ ...good, meter: '0' })],
    ['part of a number', JSON.stringify({ ...good, at: 0.5 })],
    ['no time between writes', JSON.stringify({ ...good, spacing: 0 })],
    ['a turn in a million years', JSON.stringify({ ...good, usual: { next: 1, tail: 8e15 } })],
  ])('makes an empty budget of %s', (_, text) => {
    const parsed = parseBudget(text, START, rate);
    expect(parsed).toEqual(emptyBudget(START, rate));
    expect(takeWrite(parsed, { urgent: false }, START, rate).grant).toMatchObject({ waitMs: T });
  });

  it('never throws, and never makes one that holds up for more than a day', () => {
    const times = fc.oneof(fc.integer(), fc.integer({ min: START - 1e7, max: START + 1e7 }), fc.double());
    const line = fc.record({ next: times, tail: times }, { requiredKeys: [] });
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .record({ at: times, spacing: times, meter: times, usual: line, urgent: line })
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(text, (garbage) => {
        const { grant } = takeWrite(parseBudget(garbage, START, rate), { urgent: true }, START, rate);
        expect(waitOf(grant)).toBeLessThanOrEqual(24 * 3_600_000 + T);
      }),
    );
  });
});

/** What workers may do: let time pass, take with any ticket that there is or was, be throttled. */
const action = fc.oneof(
  { weight: 3, arbitrary: fc.record({ pass: fc.oneof(fc.constant(0), fc.nat(100), fc.nat(4_000)) }) },
  {
    weight: 6,
    arbitrary: fc.record({ urgent: fc.boolean(), percent: fc.nat(100), held: fc.option(fc.nat(40)) }),
  },
  { weight: 1, arbitrary: fc.record({ penalty: fc.nat(3_000) }) },
);
const rates = fc.record({
  perSecond: fc.constantFrom(0.5, 1.5, 7, 300),
  burst: fc.integer({ min: 1, max: 12 }),
});

describe('the rate', () => {
  it.each([
    ['burst and one urgent write', true, 1],
    ['burst, without anything urgent', false, 0],
  ])('is never above the %s, whatever tickets are shown', (_, withUrgent, kept) => {
    fc.assert(
      fc.property(rates, fc.array(action, { maxLength: 120 }), (by, actions) => {
        const budget = new Budget(fullBudget(START, by));
        const tickets: Ticket[] = [];
        const grants: number[] = [];
        for (const one of actions) {
          if ('pass' in one) budget.now += one.pass;
          else if ('penalty' in one) budget.state = penalise(budget.state, one.penalty, budget.now, by);
          else {
            const ticket = one.held === null ? undefined : tickets[one.held];
            const { percent } = one;
            const grant = budget.ask({ urgent: one.urgent && withUrgent, percent, ticket }, by);
            if (grant.is === 'Granted') grants.push(budget.now);
            else tickets.unshift(grant.ticket);
          }
        }
        for (const [from, begin] of grants.entries()) {
          for (const [more, end] of grants.slice(from).entries()) {
            const most = by.burst + kept + Math.floor((end - begin) / spacingOf(by));
            expect(more + 1).toBeLessThanOrEqual(most);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the rate of attempts of several writes', () => {
  it('is kept on the average, and what takes traffic back goes at once but for what was taken back before', () => {
    const by = { perSecond: 2, burst: 4 };
    const attempts = fc.array(fc.record({ pass: fc.nat(3_000), urgent: fc.boolean(), more: fc.nat(3) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(attempts, (all) => {
        const budget = new Budget(fullBudget(START, by));
        const sent: { readonly at: number; readonly isGrant: boolean; readonly urgent: boolean }[] = [];
        for (const { pass, urgent, more } of all) {
          budget.now += pass;
          if (budget.ask({ urgent }, by).is === 'Wait') continue;
          sent.push({ at: budget.now, isGrant: true, urgent });
          for (let write = 0; write < more; write += 1) {
            budget.state = chargeWrite(budget.state, { urgent }, budget.now, by);
            sent.push({ at: budget.now, isGrant: false, urgent });
          }
        }
        for (const [to, { at: end, isGrant, urgent }] of sent.entries()) {
          if (!isGrant) continue;
          for (const [from, { at: begin }] of sent.slice(0, to + 1).entries()) {
            // What is not urgent makes up for all that was sent before; what is urgent for what was.
            const before = sent.slice(from, to + 1).filter((one) => !urgent || one.isGrant || one.urgent);
            const most = by.burst + 1 + Math.floor((end - begin) / T);
            expect(before.length).toBeLessThanOrEqual(most);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

interface Visitor {
  readonly name: number;
  readonly urgent: boolean;
  readonly percent?: number | undefined;
  readonly arrives: number;
  readonly grantedAt: number;
  readonly asked: number;
}

/** Lets all come, wait as told, and come back so many milliseconds late, until all were granted. */
function serve(
  arrivals: readonly { readonly after: number; readonly urgent: boolean; readonly percent?: number }[],
  by: WriteRate,
  lateness: () => number,
): Visitor[] {
  const budget = new Budget(fullBudget(START, by));
  let arrives = START;
  const coming = arrivals.map(({ after, urgent, percent }, name) => {
    arrives += after;
    return { name, urgent, percent, arrives, at: arrives, asked: 0, ticket: undefined as Ticket | undefined };
  });
  const done: Visitor[] = [];
  while (coming.length > 0) {
    coming.sort((a, b) => a.at - b.at || a.name - b.name);
    const [one] = coming;
    if (one === undefined) break;
    budget.now = one.at;
    const { urgent, percent, ticket } = one;
    const grant = budget.ask({ urgent, percent, ticket }, by);
    one.asked += 1;
    if (one.asked > 5_000) throw new Error(`Expected ${one.name} to be served.`);
    if (grant.is === 'Wait') {
      Object.assign(one, { ticket: grant.ticket, at: grant.notBefore + lateness() });
      continue;
    }
    done.push({ ...one, grantedAt: one.at });
    coming.shift();
  }
  return done;
}

const arrivals = fc.array(
  fc.record({ after: fc.oneof(fc.constant(0), fc.nat(300), fc.nat(5_000)), urgent: fc.boolean() }),
  { maxLength: 80 },
);

describe('those that wait', () => {
  it('are served in the order in which they came, each kind for itself', () => {
    fc.assert(
      fc.property(rates, arrivals, (by, all) => {
        const served = serve(all, by, () => 0);
        for (const urgent of [false, true]) {
          const names = served.filter((one) => one.urgent === urgent).map(({ name }) => name);
          expect(names).toEqual(names.toSorted((a, b) => a - b));
        }
      }),
    );
  });

  it('let pass, of what is taken back at once, what takes back more, and lose no time by it', () => {
    const by = { perSecond: 3, burst: 10 };
    const percents = fc.array(fc.nat(99), { minLength: 20, maxLength: 200 });
    const lateness = fc.infiniteStream(fc.nat(200));
    fc.assert(
      fc.property(percents, lateness, (all, late) => {
        const aborts = all.map((percent) => ({ after: 0, urgent: true, percent }));
        const served = serve(aborts, by, () => late.next().value ?? 0);
        // What was left of the burst goes to those that came first.
        const lined = served.slice(by.burst + 1).map(({ percent = 0 }) => Math.floor(percent / 10));
        expect(lined).toEqual(lined.toSorted((a, b) => b - a));
        const seconds = (Math.max(...served.map(({ grantedAt }) => grantedAt)) - START) / 1000;
        expect(seconds).toBeLessThanOrEqual((1.1 * (all.length - by.burst)) / by.perSecond + 1);
      }),
      { numRuns: 30 },
    );
  });

  it('let everything urgent pass from the moment it comes', () => {
    fc.assert(
      fc.property(rates, arrivals, (by, all) => {
        const served = serve(all, by, () => 0);
        const usual = served.filter(({ urgent }) => !urgent);
        for (const one of served.filter(({ urgent }) => urgent)) {
          const before = usual.filter(
            (other) => other.grantedAt > one.arrives && other.grantedAt < one.grantedAt,
          );
          expect(before).toEqual([]);
        }
      }),
    );
  });

  it('are all served however late they come, in about the time that the rate needs', () => {
    fc.assert(
      fc.property(rates, arrivals, fc.infiniteStream(fc.nat(3_000)), (by, all, late) => {
        const served = serve(all, by, () => late.next().value ?? 0);
        expect(served).toHaveLength(all.length);
        const last = Math.max(START, ...served.map(({ arrives }) => arrives));
        const end = Math.max(START, ...served.map(({ grantedAt }) => grantedAt));
        const each = spacingOf(by) + 3_000;
        expect(end - last).toBeLessThanOrEqual((all.length + 1) * each);
      }),
    );
  });

  it('are served when clocks jump, and no later than the largest difference that counts', () => {
    const jumps = fc.array(fc.record({ to: fc.integer({ min: -1e7, max: 1e7 }), urgent: fc.boolean() }), {
      maxLength: 50,
    });
    fc.assert(
      fc.property(jumps, (all) => {
        const budget = new Budget();
        for (const { to, urgent } of all) {
          budget.now = START + to;
          budget.take(urgent);
        }
        budget.now = START;
        const grant = budget.take(true);
        const most = (all.length + rate.burst + 2) * T + MAX_SKEW_MS;
        expect(waitOf(grant)).toBeLessThanOrEqual(most);
      }),
    );
  });

  it('ask seldom: 300 rollouts and 200 aborts at once', () => {
    const by = { perSecond: 1.5, burst: 10 };
    const all = [
      ...Array.from({ length: 300 }, () => ({ after: 0, urgent: false })),
      ...Array.from({ length: 200 }, () => ({ after: 1, urgent: true })),
    ];
    const served = serve(all, by, () => 40);
    const end = Math.max(...served.map(({ grantedAt }) => grantedAt));
    const endOfUrgent = Math.max(...served.filter(({ urgent }) => urgent).map(({ grantedAt }) => grantedAt));
    expect((end - START) / spacingOf(by)).toBeLessThan(500);
    expect((endOfUrgent - START) / spacingOf(by)).toBeLessThan(201);
    expect(Math.max(...served.filter(({ urgent }) => urgent).map(({ asked }) => asked))).toBeLessThanOrEqual(
      2,
    );
    expect(Math.max(...served.map(({ asked }) => asked))).toBeLessThanOrEqual(4);
  });
});
