import type { Operator } from '../../clients/temporal/operator.ts';

/** After this time another connection is made, with the credentials of then, in milliseconds. */
const LONGEST_MS = 600_000;
/** So long a call may take that goes over the one before. */
const LINGER_MS = 60_000;

/** Keeps a connection to Temporal for as long as its credentials are sure to last, and makes it when it is asked for. */
export function keepOperator(
  connect: () => Promise<Operator>,
  now: () => number,
): { readonly get: () => Promise<Operator>; readonly close: () => Promise<void> } {
  let kept: { readonly at: number; readonly operator: Promise<Operator> } | undefined;
  const closeSoon = (operator: Promise<Operator>): void => {
    setTimeout(() => void operator.then((one) => one.close()).catch(() => undefined), LINGER_MS).unref();
  };
  return {
    get: () => {
      if (kept !== undefined && now() - kept.at < LONGEST_MS) return kept.operator;
      if (kept !== undefined) closeSoon(kept.operator);
      const made = { at: now(), operator: connect() };
      kept = made;
      // One that did not come about is not kept.
      made.operator.catch(() => {
        if (kept === made) kept = undefined;
      });
      return made.operator;
    },
    close: async () => {
      await (await kept?.operator.catch(() => undefined))?.close();
    },
  };
}
