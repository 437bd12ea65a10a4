import type { Log } from '../clients/log.ts';
import type { Waiting } from '../clients/waiting.ts';

/** What a process has to have before it does its work. */
export interface Readiness {
  /** By whom one of the conditions is told of. */
  readonly of: (condition: string) => Waiting;
  /** What the process still waits for, or waits for again, a sentence each; empty when it does its work. */
  readonly missing: () => readonly string[];
  /** Whether each condition is fulfilled. */
  readonly states: () => readonly { readonly condition: string; readonly fulfilled: boolean }[];
}

/** Begins with nothing being there; logs whenever a condition is fulfilled, and whenever it is so no more. */
export function createReadiness(conditions: readonly string[], log: Log): Readiness {
  const reasons = new Map(conditions.map((condition) => [condition, 'not yet']));
  return {
    of: (condition) => (reason) => {
      const before = reasons.get(condition);
      if (reason === undefined) reasons.delete(condition);
      else reasons.set(condition, reason);
      if (before !== undefined && reason === undefined) log.info({ condition }, 'ready');
      if (before === undefined && reason !== undefined) log.warn({ condition, reason }, 'not ready any more');
    },
    states: () => conditions.map((condition) => ({ condition, fulfilled: !reasons.has(condition) })),
    missing: () =>
      conditions.flatMap((condition) => {
        const reason = reasons.get(condition);
        return reason === undefined ? [] : [`${condition}: ${reason}`];
      }),
  };
}
