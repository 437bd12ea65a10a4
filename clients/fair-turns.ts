/** Work that waits for one of a few threads; whoever has taken the least of their time lately comes next. */
export interface FairTurns<T> {
  add(whose: string, what: T): void;
  /** Takes out what is not waited for any more. */
  remove(whose: string, what: T): void;
  /** Takes out what comes next; undefined when nothing waits, or nothing may begin now. */
  begin(): Turn<T> | undefined;
}

/** What has a thread, until it ends. */
export interface Turn<T> {
  readonly what: T;
  /** Says how many milliseconds it took. */
  readonly end: () => number;
}

/** How many threads there are. */
export interface Threads {
  readonly all: number;
  /** So many of them one may have at once. */
  readonly ofOne: number;
}

interface Tenant<T> {
  readonly waiting: Set<T>;
  underWay: number;
  /** What was taken until some time, in milliseconds; it counts ever less. */
  taken: number;
  at: number;
}

const HALF_AFTER_MILLISECONDS = 60_000;

/** Makes it empty; by a clock of milliseconds that never goes back. */
export function fairTurns<T>(threads: Threads, now: () => number): FairTurns<T> {
  // Of those who have taken the same, whose turn is longest ago comes first.
  const tenants = new Map<string, Tenant<T>>();
  let busy = 0;

  function lately({ taken, at }: Tenant<T>): number {
    return Math.floor(taken * 2 ** ((at - now()) / HALF_AFTER_MILLISECONDS));
  }

  function next(): [string, Tenant<T>] | undefined {
    let least: [string, Tenant<T>] | undefined;
    for (const [whose, tenant] of tenants) {
      if (isForgotten(tenant)) tenants.delete(whose);
      if (tenant.waiting.size === 0 || tenant.underWay === threads.ofOne) continue;
      if (least === undefined || lately(tenant) < lately(least[1])) least = [whose, tenant];
    }
    return least;
  }

  const isForgotten = (tenant: Tenant<T>): boolean =>
    tenant.waiting.size === 0 && tenant.underWay === 0 && lately(tenant) === 0;

  function end(tenant: Tenant<T>, since: number): number {
    const took = now() - since;
    busy -= 1;
    tenant.underWay -= 1;
    tenant.taken = lately(tenant) + took;
    tenant.at = now();
    return took;
  }

  return {
    add: (whose, what) => {
      const tenant = tenants.get(whose) ?? { waiting: new Set(), underWay: 0, taken: 0, at: 0 };
      tenant.waiting.add(what);
      tenants.set(whose, tenant);
    },
    remove: (whose, what) => void tenants.get(whose)?.waiting.delete(what),
    begin: () => {
      const [whose, tenant] = (busy < threads.all ? next() : undefined) ?? [];
      const [what] = tenant?.waiting ?? [];
      if (whose === undefined || tenant === undefined || what === undefined) return undefined;
      tenant.waiting.delete(what);
      tenants.delete(whose);
      tenants.set(whose, tenant);
      busy += 1;
      tenant.underWay += 1;
      const since = now();
      return { what, end: () => end(tenant, since) };
    },
  };
}
