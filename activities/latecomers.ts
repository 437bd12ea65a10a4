/** What came of something. */
export type Ended<T> =
  { readonly is: 'Done'; readonly value: T } | { readonly is: 'Failed'; readonly error: unknown };

/** What came of waiting: the end, the last end when this one is late, or nothing yet. */
export type Outcome<T> = (Ended<T> & { readonly isLate: boolean }) | { readonly is: 'Waiting' };

/** Waits for things, but for none too long. */
export interface Latecomers {
  /**
   * Begins something and waits for it. What is late goes on by itself: until it has ended nothing of the same key is
   * begun again, and for some seconds after that its end stands for the next one that is late.
   */
  wait<T>(key: string, begin: () => Promise<T>): Promise<Outcome<T>>;
}

/** How long is waited, and how long the end of what was late counts, in milliseconds. */
export interface Patience {
  readonly waitMilliseconds: number;
  readonly keepMilliseconds: number;
}

/** Makes a place where what is late is waited for. */
export function latecomers({ waitMilliseconds, keepMilliseconds }: Patience): Latecomers {
  const underWay = new Set<string>();
  const ends = new Map<string, Ended<unknown>>();

  function keep(key: string, end: Ended<unknown>): void {
    ends.set(key, end);
    const forget = (): void => void (ends.get(key) === end && ends.delete(key));
    setTimeout(forget, keepMilliseconds).unref();
  }

  /** Begins something, and answers with its end if that comes in time. */
  async function attempt<T>(key: string, begin: () => Promise<T>): Promise<Ended<T> | undefined> {
    underWay.add(key);
    let isLate = false;
    const ended = settle(begin).then((end) => {
      underWay.delete(key);
      if (isLate) keep(key, end);
      else ends.delete(key);
      return end;
    });
    const end = await inTime(ended, waitMilliseconds);
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

async function inTime<T>(ended: Promise<T>, milliseconds: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}
