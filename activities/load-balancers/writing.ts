import type { WeightChange } from '../../domain/gates/health.ts';
import type { Grant } from '../../domain/load-balancers/budget.ts';
import type { NotYet } from '../contract.ts';
import { refuseWhenGivenUp } from '../heartbeat.ts';
import type { Writing } from './port.ts';

/** Ends an attempt whose next write has its turn later. */
export class Postponed extends Error {
  readonly notYet: NotYet;
  constructor({ ticket, waitMs }: Extract<Grant, { is: 'Wait' }>) {
    super('The write has its turn later.');
    this.notYet = { is: 'NotYet', ticket, waitMs };
  }
}

/** What the writes of an attempt are let by. */
export interface WritingMeans {
  readonly signal: AbortSignal;
  /** Whether the first write has its turn already. */
  readonly hasTurn: boolean;
  /** Asks the budget for a turn. */
  readonly take: () => Promise<Grant>;
  /** Counts a write that is sent without asking. */
  readonly charge: () => Promise<void>;
  /** Throws when the object asks for something else by now. */
  readonly refuseOutdated: () => Promise<void>;
  /** Throws when a change of weights would leave all traffic without a healthy target. */
  readonly refuseStranding: (weights: WeightChange) => Promise<void>;
  /** Tells those who share the budget of a refusal. */
  readonly heed: (refusal: unknown) => Promise<void>;
}

/** Says how the writes of one attempt may be made. One that has sent something is never put off. */
export function writingOf(means: WritingMeans): Writing {
  const { signal, take, charge, heed, refuseOutdated, refuseStranding } = means;
  let { hasTurn } = means;
  let hasSent = false;

  async function turn(): Promise<void> {
    if (hasTurn) return;
    if (hasSent) {
      // An attempt that was put off begins again: it would send its first write each time, and so keep others from theirs.
      void charge();
    } else {
      const grant = await take();
      if (grant.is === 'Wait') throw new Postponed(grant);
    }
    hasTurn = true;
  }

  return {
    signal,
    turn,
    heed: (refusal) => void heed(refusal),
    permit: async (weights) => {
      await turn();
      if (weights !== undefined) await refuseStranding(weights);
      signal.throwIfAborted();
      await refuseOutdated();
      signal.throwIfAborted();
      // Last, since the process may have been stopped while it waited for an answer that is old by now.
      refuseWhenGivenUp();
      [hasTurn, hasSent] = [false, true];
    },
  };
}
