import { setTimeout as wait } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { CancelledFailure } from '@temporalio/common';
import type { ShiftRequest, ShiftResult } from '../../../activities/contract.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';
import { lackOfHealth, type TargetHealth } from '../../../domain/gates/health.ts';
import type { ObservedCell } from '../../../domain/model/observation.ts';
import type { WeightedTargetGroup } from '../../../domain/model/target-group.ts';
import type { CellReport, ReportOutcome } from '../../../domain/rollout/report/events.ts';
import { sameShares, TOTAL_WEIGHT } from '../../../domain/load-balancers/weights.ts';
import { failureOf, type Passing } from './troubles.ts';
import { targetGroupsOf } from '../../../domain/load-balancers/load-balancer.ts';
import type { Config, GroupName, World } from './world.ts';

const BEAT_MS = 100;

/** Heartbeats while something runs, so that its cancellation arrives. */
export async function beating<T>(run: (by: Passing) => Promise<T>): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), BEAT_MS);
  try {
    return await run(passing());
  } finally {
    clearInterval(timer);
  }
}

/** Who runs this activity. */
export function passing(): Passing {
  const { info, cancellationSignal: signal } = Context.current();
  return { runId: info.workflowExecution?.runId ?? '', activityId: info.activityId, signal };
}

/** Makes one weight in the way of `shiftTraffic` (activities/rollout/traffic.ts), in memory. */
export async function shift(world: World, request: ShiftRequest, by: Passing): Promise<ShiftResult> {
  const telling = request.report === undefined ? undefined : tell(world, request.report, by);
  const result = await written(world, request, { ...by, telling });
  return telling === undefined ? result : { ...result, told: await telling };
}

async function tell(world: World, report: CellReport, by: Passing): Promise<ReportOutcome> {
  try {
    await world.troubles.pass('report', by);
    world.report(report);
    return { is: 'Told' };
  } catch (error) {
    return { is: 'Refused', reason: 'Unavailable', message: String(error) };
  }
}

async function written(
  world: World,
  request: ShiftRequest,
  by: Passing & { readonly telling: Promise<ReportOutcome> | undefined },
): Promise<ShiftResult> {
  const lacking = await lackOf(world, request, by);
  if (lacking !== undefined) return lacking;
  const { sequence, verify, urgent } = request;
  const known = world.config;
  if ((known?.sequence ?? 0) >= sequence)
    throw failureOf('Superseded', `Expected write ${sequence} to be the next, got ${known?.sequence} there.`);
  await by.telling;
  by.signal.throwIfAborted();
  const asked = ask(world, request, known);
  await applied(world, { config: asked, verify, urgent, by });
  const observed = await lookAgain(world, by);
  return { is: 'Served', ...(observed === undefined ? {} : { observed }) };
}

/** The health of target groups, as ELBv2 says. */
export async function healthOf(
  world: World,
  arns: readonly string[],
  by: Passing,
): Promise<readonly TargetHealth[]> {
  if (arns.length > 0) await world.troubles.pass('health', by);
  return arns.map((targetGroupARN) => {
    const healthy = isHealthy(world, targetGroupARN) ? 1 : 0;
    return { targetGroupARN, healthy, total: 1, others: healthy === 1 ? '' : '1 unhealthy' };
  });
}

const isHealthy = (world: World, arn: string): boolean =>
  ![...world.unhealthy].some((name: GroupName) => world.group(name).arn === arn);

/** Looks at the Cell. */
export async function look(world: World, by: Passing): Promise<ObservedCell> {
  world.looks += 1;
  await world.troubles.pass('look', by);
  return world.observe();
}

async function lackOf(
  world: World,
  { requires, minHealthyTargets }: ShiftRequest,
  by: Passing,
): Promise<Extract<ShiftResult, { is: 'Lacking' }> | undefined> {
  const { healthy = [], registered = [] } = requires ?? {};
  const targetGroupARNs = [...healthy, ...registered];
  const found = await healthOf(world, targetGroupARNs, by);
  const lack = lackOfHealth(found.slice(0, healthy.length), minHealthyTargets);
  return lack === undefined ? undefined : { is: 'Lacking', targetGroupARNs, lack };
}

/** Writes the spec of the configuration. */
function ask(world: World, { forwarding, sequence }: ShiftRequest, known: Config | undefined): Config {
  const isSame = canonical(forwarding) === canonical(known?.asked);
  const generation = (known?.generation ?? 0) + (isSame ? 0 : 1);
  const before = known ?? { observedGeneration: 0, phase: 'Updated' as const, served: forwarding };
  world.config = { ...before, asked: forwarding, generation, sequence };
  return world.config;
}

interface Attempt {
  readonly config: Config;
  readonly verify: boolean;
  readonly urgent: boolean;
  readonly by: Passing;
}

/** Makes ELBv2 serve what the configuration asks for, and says in its status the result of it. */
async function applied(world: World, attempt: Attempt): Promise<void> {
  const { config, by } = attempt;
  try {
    await write(world, attempt);
    say(world, { observedGeneration: config.generation, phase: 'Updated', served: config.asked });
  } catch (error) {
    const isTold = !by.signal.aborted && !(error instanceof CancelledFailure);
    if (isTold) say(world, { phase: 'Error' });
    throw error;
  }
}

async function write(world: World, { config, verify, urgent, by }: Attempt): Promise<void> {
  const wanted = targetGroupsOf(config.asked);
  const found = verify ? await read(world, by) : targetGroupsOf(config.served);
  const isShown = sameShares(wanted, found);
  const isServed = config.phase !== 'Error' && config.observedGeneration === config.generation;
  const isOnlyChange = config.phase !== 'Error' && config.observedGeneration + 1 === config.generation;
  const mayBeUndone = !isServed && !isOnlyChange && sameShares(wanted, targetGroupsOf(config.served));
  const undoes = verify && (urgent || mayBeUndone);
  if (isShown && !undoes) return;
  by.signal.throwIfAborted();
  if (world.config?.generation !== config.generation)
    throw failureOf('Superseded', 'The configuration asks for something else by now.');
  const { runId, activityId } = by;
  const sent = {
    before: world.served,
    after: checked(wanted),
    isApplied: false,
    by: { runId, activityId },
  };
  world.sent.push(sent);
  const apply = (): void => {
    world.served = wanted;
    sent.isApplied = true;
  };
  try {
    await world.troubles.send(apply, by);
  } catch (error) {
    // What is shown already is done without.
    if (!isShown) throw error;
  }
  await readBack(world, wanted, by);
}

async function read(world: World, by: Passing): Promise<readonly WeightedTargetGroup[]> {
  await world.troubles.pass('read', by);
  by.signal.throwIfAborted();
  return world.served;
}

async function readBack(world: World, wanted: readonly WeightedTargetGroup[], by: Passing): Promise<void> {
  for (let count = 0; count < 3; count += 1) {
    if (sameShares(await read(world, by), wanted)) return;
    await wait(10);
  }
  throw failureOf('NotServed', 'ELBv2 serves something else than was written.');
}

function say(world: World, said: Partial<Config>): void {
  if (world.config !== undefined) world.config = { ...world.config, ...said };
}

/** That this look fails does not undo the write. */
async function lookAgain(world: World, by: Passing): Promise<ObservedCell | undefined> {
  try {
    return await look(world, by);
  } catch {
    return undefined;
  }
}

/** I1. */
function checked(shares: readonly WeightedTargetGroup[]): readonly WeightedTargetGroup[] {
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  if (total === TOTAL_WEIGHT) return shares;
  throw failureOf('Refused', `Expected weights that add up to ${TOTAL_WEIGHT}, got ${total}.`);
}
