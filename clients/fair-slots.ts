import { fairTurns, type Threads } from './fair-turns.ts';

/** Does something for someone, when it is their turn. */
export type FairSlots = <T>(whose: string, work: () => Promise<T>) => Promise<T>;

/** Limits how many things are done at once, in all and for one who asks; whoever has taken the least time lately comes next. */
export function fairSlots(threads: Threads, now: () => number = () => performance.now()): FairSlots {
  const turns = fairTurns<(end: () => number) => void>(threads, now);

  function proceed(): void {
    for (let turn = turns.begin(); turn !== undefined; turn = turns.begin()) turn.what(turn.end);
  }

  return async (whose, work) => {
    const { promise, resolve } = Promise.withResolvers<() => number>();
    turns.add(whose, resolve);
    proceed();
    const end = await promise;
    try {
      return await work();
    } finally {
      end();
      proceed();
    }
  };
}
