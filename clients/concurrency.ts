/** What runs within a time limit, and with whose signal it ends before. */
export interface TimeLimit {
  readonly milliseconds: number;
  readonly signal?: AbortSignal | undefined;
}

/** Runs something with a signal aborted with the one given, or by a `TimeoutError`; unlike `AbortSignal.timeout`, no timer outlasts it. */
export async function withTimeLimit<T>(
  { milliseconds, signal: given }: TimeLimit,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const own = new AbortController();
  const follow = (): void => own.abort(given?.reason);
  const timer = setTimeout(() => own.abort(timeoutError()), milliseconds);
  timer.unref();
  if (given?.aborted === true) follow();
  given?.addEventListener('abort', follow, { once: true });
  try {
    return await run(own.signal);
  } finally {
    clearTimeout(timer);
    given?.removeEventListener('abort', follow);
  }
}

// As AbortSignal.timeout says it.
const timeoutError = (): DOMException =>
  new DOMException('The operation was aborted due to timeout', 'TimeoutError');

/** What something comes to; undefined where it fails with an error that is expected. */
export async function undefinedOn<T>(
  isExpected: (error: unknown) => boolean,
  running: Promise<T>,
): Promise<T | undefined> {
  try {
    return await running;
  } catch (error) {
    if (isExpected(error)) return undefined;
    throw error;
  }
}

/** Makes a reading that all share who ask for it while it is under way; each gives up alone. */
export function shareReading<T>(read: () => Promise<T>): (signal?: AbortSignal) => Promise<T> {
  let underWay: Promise<T> | undefined;
  return async (signal) => {
    signal?.throwIfAborted();
    underWay ??= read().finally(() => {
      underWay = undefined;
    });
    return await untilGivenUp(underWay, signal);
  };
}

/** Waits for what others wait for as well, and alone stops to wait when its signal says so. */
export async function untilGivenUp<T>(found: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await found;
  const { promise, reject } = Promise.withResolvers<never>();
  const giveUp = (): void => reject(signal.reason);
  signal.addEventListener('abort', giveUp);
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([promise, found]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/** Lets so many things be done at once; the others wait for their turn. */
export function limitConcurrency(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return async (work) => {
    if (taken === most) await new Promise<void>((resolve) => waiting.push(resolve));
    else taken += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next();
    }
  };
}

/** Does something with each of many, so many at a time, and answers in their order. */
export async function inBatches<T, R>(
  items: readonly T[],
  size: number,
  perform: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let begin = 0; begin < items.length; begin += size) {
    results.push(...(await Promise.all(items.slice(begin, begin + size).map(perform))));
  }
  return results;
}

/** Makes something when it is asked for first, and gives it to all who ask; what fails is made again for who asks next. */
export function late<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

/** Makes something for a name when it is asked for first; of all names those are kept that were asked for last, since anybody may think of more. */
export function newest<T extends object>(most: number): (name: string, make: () => T) => T {
  const kept = new Map<string, T>();
  return (name, make) => {
    const found = kept.get(name) ?? make();
    kept.delete(name);
    kept.set(name, found);
    keepNewest(kept, most);
    return found;
  };
}

/** Forgets what was added first, until so many are left. */
export function keepNewest(from: Map<string, unknown>, most: number): void {
  for (const name of from.keys()) {
    if (from.size <= most) return;
    from.delete(name);
  }
}

/** Something that was made, and until when it counts, in milliseconds since the epoch. */
export interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

/** Keeps what was made, a token say, until it ends or is refused; those who find it so share the next one. */
export function keepMade<T>(make: () => Promise<Kept<T>>, now: () => number): (refused?: T) => Promise<T> {
  let kept: Promise<Kept<T>> | undefined;
  const renew = (): Promise<Kept<T>> => {
    const made = make();
    kept = made;
    made.catch(() => {
      if (kept === made) kept = undefined;
    });
    return made;
  };
  return async (refused) => {
    const known = kept;
    if (known === undefined) return (await renew()).value;
    const { value, until } = await known;
    if (now() < until && value !== refused) return value;
    return (await (kept === undefined || kept === known ? renew() : kept)).value;
  };
}
