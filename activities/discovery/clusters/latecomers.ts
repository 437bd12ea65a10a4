/** The result of something. */
export type Ended<T> =
  { readonly is: 'Done'; readonly value: T } | { readonly is: 'Failed'; readonly error: unknown };

/** The result of waiting: the end, the last end when this one is late, or nothing yet. */
export type Outcome<T> = (Ended<T> & { readonly isLate: boolean }) | { readonly is: 'Waiting' };

/** Waits for things, but for none too long. */
export interface Latecomers {
  /**
   * Begins something and waits for it; those who ask while one is under way share the next. What is late goes on by
   * itself: until it has ended nothing of the same key is begun again, and for some seconds after that its end stands
   * for the next one that is late, for those who take one that was begun so long ago. Of things that are asked for
   * together none is late as long as others of them still end, within limits: then it is this process, or the way to
   * all of them, that is slow.
   */
  wait<T>(key: string, begin: () => Promise<T>, since?: number): Promise<Outcome<T>>;
  /** The time now, by the clock that says when something was begun. */
  now(): number;
}

/** How long is waited for something of which nothing is heard, and how long the end of what was late counts, in milliseconds. */
export interface Patience {
  readonly waitMilliseconds: number;
  readonly keepMilliseconds: number;
}

/** Things that were begun at the same time, and how many of them have ended. */
interface Round {
  ends: number;
}

// Patience is counted in slices, so that time in which this process could not listen counts for little.
const SLICES = 10;

// The longest that is waited while others end, as a multiple of what is waited otherwise.
const LONGEST = 5;

/** Something that is asked for once by all who wait for it. */
interface Asked {
  readonly begin: () => Promise<unknown>;
  readonly ended: PromiseWithResolvers<Ended<unknown>>;
  readonly round: Round;
  isLate: boolean;
  /** What is begun as soon as this has ended. */
  next?: Asked;
}

interface LateEnd {
  readonly end: Ended<unknown>;
  readonly begunAt: number;
}

/**
 * Makes a place where what is late is waited for. One call for all who wait, with a deadline, is not enough: who asks
 * may be about what has happened since that call was begun, and what is late each time would never be known.
 */
export function latecomers({ waitMilliseconds, keepMilliseconds }: Patience): Latecomers {
  const underWay = new Map<string, Asked>();
  const ends = new Map<string, LateEnd>();
  let current: Round | undefined;
  // Counted, so that of two things in one millisecond one still was first.
  let time = 0;

  function joinRound(): Round {
    if (current === undefined) {
      current = { ends: 0 };
      setImmediate(() => (current = undefined));
    }
    return current;
  }

  function keep(key: string, late: LateEnd): void {
    ends.set(key, late);
    const forget = (): void => void (ends.get(key) === late && ends.delete(key));
    setTimeout(forget, keepMilliseconds).unref();
  }

  async function run(key: string, asked: Asked): Promise<void> {
    underWay.set(key, asked);
    const begunAt = (time += 1);
    const end = await settle(asked.begin);
    asked.round.ends += 1;
    if (asked.isLate) keep(key, { end, begunAt });
    else ends.delete(key);
    underWay.delete(key);
    if (asked.next !== undefined) void run(key, asked.next);
    asked.ended.resolve(end);
  }

  /** What to wait for; undefined when it is known to be late. */
  function ask(key: string, begin: () => Promise<unknown>): Asked | undefined {
    const before = underWay.get(key);
    if (before?.isLate === true) return undefined;
    // One that is under way may have been begun before what this is about had happened.
    if (before?.next !== undefined) return before.next;
    const asked: Asked = { begin, ended: Promise.withResolvers(), round: joinRound(), isLate: false };
    if (before === undefined) void run(key, asked);
    else before.next = asked;
    return asked;
  }

  return {
    now: () => (time += 1),
    async wait<T>(key: string, begin: () => Promise<T>, since = 0) {
      const asked = ask(key, begin);
      const end = asked && (await inTime(asked.ended.promise, asked.round, waitMilliseconds));
      if (end !== undefined) return { ...(end as Ended<T>), isLate: false };
      if (asked !== undefined) asked.isLate = true;
      const last = ends.get(key);
      if (last === undefined || last.begunAt < since) return { is: 'Waiting' };
      return { ...(last.end as Ended<T>), isLate: true };
    },
  };
}

async function settle(begin: () => Promise<unknown>): Promise<Ended<unknown>> {
  try {
    return { is: 'Done', value: await begin() };
  } catch (error) {
    return { is: 'Failed', error };
  }
}

async function inTime<T>(ended: Promise<T>, round: Round, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    let [left, slices, ends] = [SLICES, 0, round.ends];
    const look = (): void => {
      left = round.ends === ends ? left - 1 : SLICES;
      ends = round.ends;
      slices += 1;
      if (left === 0 || slices === LONGEST * SLICES) resolve(undefined);
    };
    timer = setInterval(look, milliseconds / SLICES);
  });
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearInterval(timer);
  }
}
