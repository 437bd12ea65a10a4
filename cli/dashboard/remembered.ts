/** How something is read that others wait for. */
export interface Reading<Given extends readonly unknown[], Result> {
  readonly read: (...given: Given) => Promise<Result>;
  /** What counts as long as nothing has been read. */
  readonly meanwhile: Result;
  /** How long a result counts, in milliseconds. */
  readonly freshMs: (result: Result) => number;
  /** How long it is waited for; then what was known counts. */
  readonly patienceMs: number;
  readonly now: () => number;
  /** Called when a result comes that nobody waits for any more. */
  readonly late: () => void;
}

/** Reads again when what it depends on has changed, or after a while; nobody waits for long. */
export function remembered<Given extends readonly unknown[], Result>({
  read,
  meanwhile,
  freshMs,
  patienceMs,
  now,
  late,
}: Reading<Given, Result>): (by: string, ...given: Given) => Promise<Result> {
  let last: { readonly by: string; readonly at: number; readonly result: Result } | undefined;
  let open: { readonly by: string; readonly reading: Promise<Result> } | undefined;
  const begin = (by: string, given: Given): Promise<Result> => {
    const at = now();
    const reading = read(...given)
      .catch(() => last?.result ?? meanwhile)
      .then((result) => {
        if (open?.reading !== reading) return result;
        last = { by, at, result };
        open = undefined;
        return result;
      });
    open = { by, reading };
    return reading;
  };
  return async (by, ...given) => {
    if (last?.by === by && now() - last.at < freshMs(last.result)) return last.result;
    const reading = open?.by === by ? open.reading : begin(by, given);
    const waiting = new AbortController();
    const first = await Promise.race([reading, after(patienceMs, waiting.signal)]);
    waiting.abort();
    if (first !== GIVEN_UP) return first;
    void reading.then(late);
    return last?.result ?? meanwhile;
  };
}

const GIVEN_UP = Symbol('nobody waits any more');

const after = (milliseconds: number, signal: AbortSignal): Promise<typeof GIVEN_UP> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(GIVEN_UP), milliseconds);
    signal.addEventListener('abort', () => clearTimeout(timer));
  });
