import { type Fields, everyText } from './protocol/fields.ts';
import { isSlow, type Fault } from './switches.ts';
import type { Buckets } from './throttle.ts';

/** A fault that waits for its calls. */
export interface ArmedFault extends Fault {
  readonly id: string;
  /** How many calls it has hit. */
  readonly hits: number;
}

/** A call as faults see it. */
export interface FaultedCall {
  readonly action: string;
  readonly parameters: Fields;
}

/** Tells whether a fault is meant for a call. */
export function matches(fault: Fault, call: FaultedCall): boolean {
  const { action, contains } = fault.match;
  const wanted = action === undefined ? undefined : [action].flat();
  if (wanted !== undefined && !wanted.includes(call.action)) return false;
  return contains === undefined || everyText(call.parameters).some((one) => one.includes(contains));
}

/** Whether a fault leaves the answer to others: it takes time, or says how long something takes. */
const goesAlong = (fault: Fault): boolean => fault.kind === 'delay' || isSlow(fault.kind);

/** The faults that are armed now. */
export interface Faults {
  add(fault: Fault): ArmedFault;
  list(): readonly ArmedFault[];
  remove(id: string): boolean;
  clear(): void;
  /** Takes the faults that hit a call now: every delay and slowness, at most one of the others. */
  take(call: FaultedCall, when: Fault['when'], now: number): readonly ArmedFault[];
}

/** Keeps faults in the order in which they were armed; one that has hit often enough is gone. */
export function createFaults(buckets: Buckets): Faults {
  const armed = new Map<string, ArmedFault>();
  let created = 0;

  const hit = (fault: ArmedFault): ArmedFault => {
    const struck = { ...fault, hits: fault.hits + 1 };
    if (fault.times !== 'always' && struck.hits >= fault.times) armed.delete(fault.id);
    else armed.set(fault.id, struck);
    return struck;
  };

  const isDue = (fault: ArmedFault, now: number): boolean =>
    fault.bucket === undefined || !buckets.take(`fault/${fault.id}`, fault.bucket, now);

  return {
    add: (fault) => {
      created += 1;
      const one = { ...fault, id: `fault-${created}`, hits: 0 };
      armed.set(one.id, one);
      return one;
    },
    list: () => [...armed.values()],
    remove: (id) => armed.delete(id),
    clear: () => armed.clear(),
    take: (call, when, now) => {
      const found: ArmedFault[] = [];
      for (const fault of armed.values()) {
        const isSecond = !goesAlong(fault) && found.some((one) => !goesAlong(one));
        if (fault.when !== when || isSecond || !matches(fault, call) || !isDue(fault, now)) continue;
        found.push(hit(fault));
      }
      return found;
    },
  };
}
