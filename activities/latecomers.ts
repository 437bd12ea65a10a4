/** What came of something. */
export type Ended<T> =
  { readonly is: 'Done'; readonly value: T } | { readonly is: 'Failed'; readonly error: unknown };

/** What came of waiting: the end, the last end when this one is late, or nothing yet. */
export type Outcome<T> = (Ended<T> & { readonly isLate: boolean }) | { readonly is: 'Waiting' };

/** Waits for things, but for none too long. */
export interface Latecomers {
  /**
   * Begins something and waits for it. What is late goes on by itself: until it has ended nothing of the same key is
   * begun again, and for some seconds after that its end stands for the next one that is late. Of things that are
   * begun together none is late as long as others of them still end, within limits: then it is this process, or the
   * way to all of them, that is slow.
   */
  wait<T>(key: string, begin: () => Promise<T>): Promise<Outcome<T>>;
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

/** Makes a place where what is late is waited for. */
export function latecomers({ waitMilliseconds, keepMilliseconds }: Patience): Latecomers {
  const underWay = new Set<string>();
  const ends = new Map<string, Ended<unknown>>();
  let current: Round | undefined;

  function joinRound(): Round {
    if (current === undefined) {
      current = { ends: 0 };
      setImmediate(() => (current = undefined));
    }
    return current;
  }

  function keep(key: string, end: Ended<unknown>): void {
    ends.set(key, end);
    const forget = (): void => void (ends.get(key) === end && ends.delete(key));
    setTimeout(forget, keepMilliseconds).unref();
  }

  /** Begins something, and answers with its end if that comes in time. */
  async function attempt<T>(key: string, begin: () => Promise<T>): Promise<Ended<T> | undefined> {
    underWay.add(key);
    const round = joinRound();
    let isLate = false;
    const ended = settle(begin).then((end) => {
      round.ends += 1;
      underWay.delete(key);
      if (isLate) keep(key, end);
      else ends.delete(key);
      return end;
    });
    const end = await inTime(ended, round, waitMilliseconds);
    isLate = end === undefined;
    return end;
  }

  return {
    async wait<T>(key: string, begin: () => Promise<T>) {
      const end = underWay.has(key) ? undefined : await attempt(key, begin);
      if (end !== undefined) return { ...end, isLate: false };
      const last = ends.get(key) as Ended<T> | undefined;
      return last === undefined ? { is: 'Waiting' } : { ...last, isLate: true };
    },
  };
}

async function settle<T>(begin: () => Promise<T>): Promise<Ended<T>> {
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
