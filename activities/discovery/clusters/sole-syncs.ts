/** Since when this process alone has synced an object. */
export interface SoleSyncs {
  /** Notes a sync; the time of it, or that of an earlier one when nobody else has synced the object since. */
  note(sync: { readonly object: string; readonly isSole: boolean; readonly time: number }): number;
  readonly size: number;
}

// An object that is synced no more is gone, or another process looks after it.
const FORGET_AFTER_MILLISECONDS = 600_000;

/** Makes it empty; those whose syncs are long ago are forgotten, and count as new. By a clock of milliseconds that never goes back. */
export function soleSyncs(now: () => number = () => performance.now()): SoleSyncs {
  // The one whose sync is longest ago comes first.
  const noted = new Map<string, { readonly since: number; readonly at: number }>();

  function forget(): void {
    for (const [object, { at }] of noted) {
      if (now() - at < FORGET_AFTER_MILLISECONDS) return;
      noted.delete(object);
    }
  }

  return {
    note({ object, isSole, time }) {
      forget();
      const since = (isSole ? noted.get(object)?.since : undefined) ?? time;
      noted.delete(object);
      noted.set(object, { since, at: now() });
      return since;
    },
    get size() {
      return noted.size;
    },
  };
}
