import { regionOf, type ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { RateLimiters } from '../../../clients/rate-limiter.ts';
import type { FailureType } from '../../../domain/failures.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import type { Registration } from '../../../domain/discovery/target-group-binding/registered-target.ts';
import {
  splitBatches,
  type WrittenTargets,
} from '../../../domain/discovery/target-group-binding/target-group-binding.ts';
import { reasonOf, toFailure } from '../../failure.ts';
import type { Lifetime } from '../lifetime.ts';

interface TargetWrites {
  readonly elbv2: Pick<ELBv2, 'registerTargets' | 'deregisterTargets'>;
  readonly targetGroupARN: string;
  readonly limits: Pick<RateLimiters, 'registrations'>;
  readonly life: Lifetime;
}

/** Reads what is registered in a target group; what is draining is not, since it gets no new requests. */
export async function readTargets(
  elbv2: Pick<ELBv2, 'targetHealth'>,
  targetGroupARN: string,
  signal: AbortSignal,
) {
  const found = (await elbv2.targetHealth(targetGroupARN, signal)).map(({ Target, TargetHealth }) => ({
    one: { id: Target?.Id ?? '', port: Target?.Port ?? 0 },
    state: TargetHealth?.State,
  }));
  const there = found.filter(({ state }) => state !== 'draining');
  const unhealthy = there.filter(({ state }) => state?.startsWith('unhealthy'));
  // Where none of several is healthy, a load balancer sends requests to all of them, also to the last while others drain.
  const isOpen = unhealthy.length === there.length && found.length > 1;
  return {
    registered: there.map(({ one }) => one),
    // What gets no traffic, because its health check fails.
    unhealthy: isOpen ? [] : unhealthy.map(({ one }) => one),
    // They may still take up room.
    draining: found.length - there.length,
  };
}

/** Registers targets, batch by batch; suspects, which AWS refused by themselves before, come last, so that they take no others with them. */
export function register(
  writes: TargetWrites,
  all: readonly Registration[],
  suspects: ReadonlySet<string> = new Set(),
): Promise<WrittenTargets> {
  const { true: suspected = [], false: others = [] } = Object.groupBy(all, ({ id }) =>
    suspects.has(id) ? 'true' : 'false',
  );
  return writeAll(writes, [...splitBatches(others), ...splitBatches(suspected)], 'register', suspects);
}

/** Deregisters targets, batch by batch. */
export const deregister = (writes: TargetWrites, all: readonly Registration[]): Promise<WrittenTargets> =>
  writeAll(writes, splitBatches(all), 'deregister');

// Where AWS refuses all, as in another VPC, two calls for each target would use up the rate of all other writes.
const MOST_SEARCHES = 10;

/** The reasons for which AWS refuses a whole call because of one target in it, which is found by halves. */
export const refusedForOne: readonly string[] = ['InvalidTarget', 'Refused'] satisfies FailureType[];

/** How long registrations wait when ELBv2 throttles all the same, because others share the account, in milliseconds. */
const PENALTY_MS = 1_000;

async function writeAll(
  { elbv2, limits, life, targetGroupARN }: TargetWrites,
  all: readonly (readonly Registration[])[],
  verb: 'register' | 'deregister',
  suspects: ReadonlySet<string> = new Set(),
): Promise<WrittenTargets> {
  const refused: Registration[] = [];
  const unsettled: Registration[] = [];
  const withoutRoom: Registration[] = [];
  const unknown: Registration[] = [];
  const problems: Problem[] = [];
  let searches = MOST_SEARCHES;
  // What AWS says about room, once there is none left.
  let full: string | undefined;
  for (const batch of all) await write(batch);
  if (withoutRoom.length > 0)
    problems.push(problemOf(withoutRoom, { verb, reason: 'TooManyTargets', message: full ?? '' }));
  return { refused, unsettled, withoutRoom, unknown, problems };

  async function write(batch: readonly Registration[]): Promise<void> {
    await limits.registrations.wait(regionOf(targetGroupARN), { urgent: false, signal: life.signal });
    life.assert();
    try {
      if (verb === 'register') await elbv2.registerTargets(targetGroupARN, batch);
      else await elbv2.deregisterTargets(targetGroupARN, batch);
    } catch (error) {
      const cause = toFailure(error);
      const reason = reasonOf(cause);
      const { message } = cause;
      if (reason === 'Throttled') limits.registrations.pause(regionOf(targetGroupARN), PENALTY_MS);
      const half = Math.ceil(batch.length / 2);
      const halves = [batch.slice(0, half), batch.slice(half)] as const;
      const mayHalve = batch.length > 1 && searches > 0;
      if (reason === 'TooManyTargets') {
        if (mayHalve && full === undefined) await fillUp(halves);
        else leaveOut(batch, message);
      } else if (mayHalve && refusedForOne.includes(reason)) {
        // In either order, so that the searches do not end at the same targets each time.
        for (const part of Math.random() < 0.5 ? halves : halves.toReversed()) await write(part);
      } else refuse(batch, { verb, reason, message });
    }
  }

  /** Writes as many targets as there is room for: where it has ended in the first half, it has for the second. */
  async function fillUp([first, second]: readonly [readonly Registration[], readonly Registration[]]) {
    const before = withoutRoom.length;
    await write(first);
    if (withoutRoom.length === before) await write(second);
    else leaveOut(second, full);
  }

  function leaveOut(batch: readonly Registration[], message: string | undefined): void {
    full = message;
    refused.push(...batch);
    withoutRoom.push(...batch);
  }

  function refuse(batch: readonly Registration[], cause: Parameters<typeof problemOf>[1]): void {
    searches -= 1;
    if (cause.reason === 'Unavailable') unknown.push(...batch);
    else refused.push(...batch);
    const isForOne = refusedForOne.includes(cause.reason);
    const isSettled = batch.length === 1 || batch.every(({ id }) => suspects.has(id));
    if (isForOne && !isSettled) unsettled.push(...batch);
    // The next sync knows by single ones which to send apart.
    if (isForOne && isSettled) problems.push(...batch.map((one) => problemOf([one], cause)));
    else problems.push(problemOf(batch, cause));
  }
}

function problemOf(
  batch: readonly Registration[],
  { verb, reason, message }: { readonly verb: string; readonly reason: string; readonly message: string },
): Problem {
  const [first] = batch;
  const one = `${first?.id} at port ${first?.port}`;
  const what = batch.length === 1 ? one : `${batch.length} targets starting with ${one}`;
  return {
    object: batch.length === 1 ? first?.id : undefined,
    reason,
    message: `Cannot ${verb} ${what}: ${message} Retrying; other targets are not affected.`,
  };
}
