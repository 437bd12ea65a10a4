import { quotaOf, type ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { RegistrationBudget } from '../../../clients/aws/registration-budget.ts';
import type { FailureType } from '../../../domain/failures.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import type { Registration } from '../../../domain/discovery/target-group-binding/registered-target.ts';
import { reasonOf, toFailure } from '../../failure.ts';
import type { Lifetime } from '../lifetime.ts';
import type { Search } from './searches.ts';

/** A target group, and what it is written with. */
export interface TargetWrites {
  readonly elbv2: Pick<ELBv2, 'registerTargets' | 'deregisterTargets'>;
  readonly targetGroupARN: string;
  readonly budget: RegistrationBudget;
  readonly life: Lifetime;
  /** What the sync may search refused targets with. */
  readonly search: Search;
}

/** The result of writing targets. */
export interface WrittenTargets {
  /** What AWS has refused; the others are written. */
  readonly refused: readonly Registration[];
  /** What nobody knows of whether it is written. */
  readonly unknown: readonly Registration[];
  readonly problems: readonly Problem[];
}

/** Reads what is registered in a target group; what is draining is not, since it gets no new requests. */
export async function readRegistered(
  elbv2: Pick<ELBv2, 'targetHealth'>,
  targetGroupARN: string,
  signal: AbortSignal,
): Promise<readonly Registration[]> {
  const found = await elbv2.targetHealth(targetGroupARN, signal);
  return found
    .filter(({ TargetHealth }) => TargetHealth?.State !== 'draining')
    .map(({ Target }) => ({ id: Target?.Id ?? '', port: Target?.Port ?? 0 }));
}

/** Registers targets, batch by batch. */
export const register = (
  writes: TargetWrites,
  batches: readonly (readonly Registration[])[],
): Promise<WrittenTargets> =>
  writeAll(writes, batches, {
    verb: 'register',
    searches: MOST_SEARCHES,
    send: (batch) => writes.elbv2.registerTargets(writes.targetGroupARN, batch),
  });

/** Deregisters targets, batch by batch. */
export const deregister = (
  writes: TargetWrites,
  batches: readonly (readonly Registration[])[],
): Promise<WrittenTargets> =>
  writeAll(writes, batches, {
    verb: 'deregister',
    searches: MOST_SEARCHES,
    send: (batch) => writes.elbv2.deregisterTargets(writes.targetGroupARN, batch),
  });

interface Write {
  readonly verb: 'register' | 'deregister';
  readonly send: (batch: readonly Registration[]) => Promise<void>;
  /** How many more refused targets are looked for, one by one. */
  searches: number;
}

// Where AWS refuses all, as in another VPC, two calls for each target would take the budget of all other writes.
const MOST_SEARCHES = 10;

const nothing: WrittenTargets = { refused: [], unknown: [], problems: [] };

async function writeAll(
  writes: TargetWrites,
  batches: readonly (readonly Registration[])[],
  write: Write,
): Promise<WrittenTargets> {
  let all = nothing;
  for (const batch of batches) {
    const one = await writeBatch(writes, batch, write);
    all = {
      refused: [...all.refused, ...one.refused],
      unknown: [...all.unknown, ...one.unknown],
      problems: [...all.problems, ...one.problems],
    };
  }
  return all;
}

// AWS refuses a whole call for one target in it, so what it refuses is tried by halves until that one is found.
const refusedForOne: readonly string[] = ['InvalidTarget', 'Refused'] satisfies FailureType[];

async function writeBatch(
  writes: TargetWrites,
  batch: readonly Registration[],
  write: Write,
): Promise<WrittenTargets> {
  const { budget, life, targetGroupARN } = writes;
  await budget.take(quotaOf(targetGroupARN), life.signal);
  life.assert();
  try {
    await write.send(batch);
    return nothing;
  } catch (error) {
    const cause = toFailure(error);
    const reason = reasonOf(cause);
    if (reason === 'Throttled') await budget.penalise(quotaOf(targetGroupARN));
    const mayHalve = refusedForOne.includes(reason) && batch.length > 1 && write.searches > 0;
    if (mayHalve && writes.search.begin()) {
      const half = Math.ceil(batch.length / 2);
      const halves = [batch.slice(0, half), batch.slice(half)];
      // In either order, so that the searches do not end at the same targets each time.
      return writeAll(writes, Math.random() < 0.5 ? halves : halves.toReversed(), write);
    }
    write.searches -= 1;
    const problems = [problemOf(batch, { verb: write.verb, reason, message: cause.message })];
    const isKnown = reason !== 'Unavailable';
    return { refused: isKnown ? batch : [], unknown: isKnown ? [] : batch, problems };
  }
}

function problemOf(
  batch: readonly Registration[],
  { verb, reason, message }: { readonly verb: string; readonly reason: string; readonly message: string },
): Problem {
  const [first] = batch;
  const one = `${first?.id} at port ${first?.port}`;
  const what = batch.length === 1 ? one : `${batch.length} targets from ${one} on`;
  return {
    object: first?.id,
    reason,
    message: `Expected to ${verb} ${what}, got: ${message} It is tried again; the others go on.`,
  };
}
