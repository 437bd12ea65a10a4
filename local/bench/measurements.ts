import { randomInt } from 'node:crypto';
import { AWS_TARGET_GROUP_SET, TARGET_GROUP_BINDING } from '../../clients/kubernetes/kinds.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { AWSTargetGroupSet } from '../../crds/aws-target-group-set.ts';
import { waitFor } from '../wait.ts';
import { median, type Figure } from './figures.ts';
import { memoryOf } from './memory.ts';
import { bindingFor, clusterName, groupName, SET, targetGroupSet } from './objects.ts';
import { isSynced, untilStatus } from './status.ts';
import { syncsSince } from './syncs.ts';
import { inTrouble, troubled } from './trouble.ts';
import { take, type World } from './world.ts';

/** Measures from the AWSTargetGroupSet to all AWSTargetGroups, and the status that says so. */
export async function measureCold(world: World): Promise<readonly Figure[]> {
  const { management, groups, size } = world;
  const count = size.clusters * size.bindings;
  world.say(`Applying the AWSTargetGroupSet of ${count} TargetGroupBindings …`);
  const began = performance.now();
  await management.apply(targetGroupSet);
  const made = await groups.until(`${count} AWSTargetGroups`, (all) => all.size === count);
  await untilStatus(world, `to say ${count}`, (status) => status.targetGroups === count && isSynced(status));
  const said = performance.now();
  return [
    {
      what: `${count} AWSTargetGroups of ${size.clusters} clusters`,
      value: seconds(made - began),
      unit: 's',
    },
    { what: 'and the status that says so', value: seconds(said - began), unit: 's', below: 30 },
  ];
}

/** Measures from a TargetGroupBinding to its AWSTargetGroup, with all clusters well and with two in trouble, by turns. */
export async function measureArrivals(world: World): Promise<readonly Figure[]> {
  const { arrivals } = world.size;
  const half = Math.ceil(arrivals / 2);
  const [well, ill]: [number[], number[]] = [[], []];
  await using trouble = await inTrouble(world);
  for (const [round, count] of [half, arrivals - half].entries()) {
    world.say(`New TargetGroupBindings, one after another: ${count} with all clusters well …`);
    well.push(...(await arrive(world, `well-${round}`, count)));
    await trouble.begin();
    world.say(`… and ${count} with one that hangs and one that is gone …`);
    ill.push(...(await arrive(world, `ill-${round}`, count)));
    await trouble.end();
  }
  return [
    ...timesOf('a new TargetGroupBinding to its AWSTargetGroup', well),
    ...timesOf('the same, one cluster hanging and one gone', ill),
    { what: 'the ratio of these medians', value: median(ill) / median(well), unit: 'times' },
  ];
}

async function arrive(world: World, prefix: string, count: number): Promise<readonly number[]> {
  const { workload, groups, arns, size } = world;
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const cluster = clusterName(randomInt(size.clusters - troubled));
    const name = `${prefix}-${index}`;
    const began = performance.now();
    await workload.create(bindingFor(cluster, name, take(arns)));
    const group = groupName(cluster, name);
    times.push((await groups.until(`AWSTargetGroup ${group}`, (all) => all.has(group))) - began);
  }
  return times;
}

const CHANGES = 5;

/** Measures from another label of a TargetGroupBinding to the same label of its AWSTargetGroup. */
export async function measureChanges({ workload, groups, size, say }: World): Promise<readonly Figure[]> {
  say('Changing labels …');
  const times: number[] = [];
  for (let index = 0; index < CHANGES; index += 1) {
    const cluster = clusterName(randomInt(size.clusters));
    const group = groupName(cluster, 'web-0');
    const colour = `colour-${index}`;
    const began = performance.now();
    const key = { namespace: cluster, name: 'web-0' };
    await workload.patch(TARGET_GROUP_BINDING, key, { metadata: { labels: { colour } } });
    const ended = await groups.until(
      `AWSTargetGroup ${group} to be ${colour}`,
      (all) => all.get(group)?.metadata.labels?.['colour'] === colour,
    );
    times.push(ended - began);
  }
  return timesOf('another label of a TargetGroupBinding to that of its AWSTargetGroup', times);
}

/** Measures the memory of both processes. */
export async function measureMemory({ okrad }: World): Promise<readonly Figure[]> {
  const [worker, watchers] = await Promise.all([
    memoryOf(okrad.worker.pid()),
    memoryOf(okrad.watchers.pid()),
  ]);
  return [
    { what: 'memory of the worker after that', value: worker?.now, unit: 'MB', below: 400 },
    { what: 'the most that it ever had', value: worker?.most, unit: 'MB', below: 400 },
    { what: 'memory of the watchers after that', value: watchers?.now, unit: 'MB' },
    { what: 'the most that they ever had', value: watchers?.most, unit: 'MB' },
  ];
}

/** Measures from a start of okrad to the first sync, and counts the objects that it writes although nothing has changed. */
export async function measureRestart(world: World): Promise<readonly Figure[]> {
  const { okrad, groups, temporal, signal } = world;
  world.say('Starting okrad again, with nothing to change …');
  const isChecked = ({ status }: AWSTargetGroup): boolean => status?.conditions !== undefined;
  await groups.until('every AWSTargetGroup to be checked', (all) => [...all.values()].every(isChecked));
  await groups.untilStill(QUIET_SECONDS);
  const before = await versions(world);
  await Promise.all([okrad.watchers.end('SIGTERM'), okrad.worker.end('SIGTERM')]);
  const began = Date.now();
  okrad.watchers.start();
  okrad.worker.start();
  const patience = { what: 'a sync after the restart', timeoutMillis: 120_000, signal };
  const first = await waitFor(patience, async () => (await syncsSince(temporal, began))[0]);
  await groups.untilStill(QUIET_SECONDS);
  const after = await versions(world);
  const written = [...after].filter(([name, version]) => before.get(name) !== version).length;
  return [
    {
      what: 'a start of okrad to its first sync, with nothing to change',
      value: seconds(first - began),
      unit: 's',
    },
    { what: 'objects that it wrote', value: written + before.size - after.size, unit: 'objects', below: 1 },
  ];
}

// As long as this nothing may be written before all counts as done.
const QUIET_SECONDS = 5;

async function versions({ groups, management }: World): Promise<ReadonlyMap<string, string | undefined>> {
  const set = await management.get<AWSTargetGroupSet>(AWS_TARGET_GROUP_SET, SET);
  const all = [...groups.groups].map(([name, { metadata }]) => [name, metadata.resourceVersion] as const);
  return new Map([...all, ['the AWSTargetGroupSet', set?.metadata.resourceVersion] as const]);
}

function timesOf(what: string, times: readonly number[]): readonly Figure[] {
  return [
    { what: `${what}, median of ${times.length}`, value: seconds(median(times)), unit: 's', below: 2 },
    { what: 'the slowest of them', value: seconds(Math.max(...times)), unit: 's', below: 2 },
  ];
}

const seconds = (milliseconds: number): number => milliseconds / 1000;
