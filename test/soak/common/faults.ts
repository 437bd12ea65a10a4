import type { FaultInput } from '../../../local/elbv2-proxy/control.ts';
import type { Stage } from '../../support/stage/stage.ts';
import { until } from '../../support/until.ts';
import type { Dice } from './dice.ts';
import type { Incident } from './incident.ts';

/** What of ELBv2 fails, and about what. */
export interface Failing<T> {
  readonly writes: readonly string[];
  readonly reads: readonly string[];
  /** A part of the parameters of the calls that fail. */
  readonly about: (object: T) => string;
}

/** ELBv2 throttles, drops connections, is slow, or shows what was. */
export function faultIncident<T>(stage: Stage, dice: Dice, failing: Failing<T>): Incident<T> {
  return {
    name: 'ELBv2 fails',
    weight: 3,
    async happen(object) {
      const contains = failing.about(object);
      const [write, read] = [
        { action: [...failing.writes], contains },
        { action: [...failing.reads], contains },
      ];
      const fault = dice.pick<FaultInput>([
        { kind: 'throttle', match: write, times: 5 },
        { kind: 'throttle', match: read, times: 5 },
        { kind: 'error', status: 403, code: 'AccessDenied', match: write, times: 3 },
        { kind: 'drop', when: 'after', match: write, times: 2 },
        { kind: 'drop', when: 'before', match: write, times: 2 },
        { kind: 'delay', delayMs: 2_000, match: write, times: 2 },
        { kind: 'stale', staleMs: 2_000, match: read, times: 6 },
      ]);
      await stage.proxy.addFault(fault);
      return JSON.stringify(fault);
    },
  };
}

/** Ends all faults. */
export const endFaults = (stage: Stage): Promise<unknown> =>
  until('the faults to be gone', () =>
    stage.proxy.clearOwnFaults().then(
      () => true,
      () => false,
    ),
  );
