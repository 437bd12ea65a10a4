import type { Answer, Ask } from '../emulator.ts';
import { type Fields, fieldsOf, items, pairs, text } from '../protocol/fields.ts';
import { shownListener, shownRule } from './shown.ts';
import { putTargets } from './targets.ts';
import { put } from './update.ts';
import { emptyWorld, type World } from './world.ts';

/** Reads every page of a list from the emulator. */
export async function readAll(ask: Ask, action: string, parameters: Fields): Promise<Answer> {
  const name = action.slice('Describe'.length);
  const found: Fields[] = [];
  for (let marker: string | undefined; ;) {
    const page = await ask(action, { ...parameters, Marker: marker, PageSize: '400' });
    if (!page.ok) return page;
    found.push(...items(page.result, name));
    marker = text(page.result, 'NextMarker') || undefined;
    if (marker === undefined) return { ok: true, result: { [name]: found } };
  }
}

async function list(ask: Ask, action: string, parameters: Fields): Promise<readonly Fields[]> {
  const answer = await readAll(ask, action, parameters);
  if (!answer.ok)
    throw new Error(`Expected ${action} of the emulator to answer, got ${answer.error.message}`);
  return items(answer.result, action.slice('Describe'.length));
}

/** Reads the whole state of an account and region from the emulator. */
export async function loadWorld(ask: Ask): Promise<World> {
  let world = put(emptyWorld, 'loadBalancers', await list(ask, 'DescribeLoadBalancers', {}));
  world = put(world, 'targetGroups', await list(ask, 'DescribeTargetGroups', {}));
  for (const LoadBalancerArn of world.loadBalancers.keys()) {
    world = put(
      world,
      'listeners',
      (await list(ask, 'DescribeListeners', { LoadBalancerArn })).map(shownListener),
    );
  }
  for (const ListenerArn of world.listeners.keys()) {
    world = put(world, 'rules', (await list(ask, 'DescribeRules', { ListenerArn })).map(shownRule));
  }
  const tags = await loadTags(ask, world);
  return loadTargets(ask, { ...world, tags, attributes: await loadAttributes(ask, world) });
}

async function loadTargets(ask: Ask, world: World): Promise<World> {
  let loaded = world;
  for (const TargetGroupArn of world.targetGroups.keys()) {
    const answer = await ask('DescribeTargetHealth', { TargetGroupArn });
    if (!answer.ok)
      throw new Error(`Expected DescribeTargetHealth of the emulator to answer, got ${answer.error.message}`);
    const Targets = items(answer.result, 'TargetHealthDescriptions').map((one) => fieldsOf(one, 'Target'));
    loaded = putTargets(loaded, 'RegisterTargets', { TargetGroupArn, Targets });
  }
  return loaded;
}

async function loadAttributes(ask: Ask, world: World): Promise<World['attributes']> {
  const attributes = new Map<string, Readonly<Record<string, string>>>();
  const read = async (action: string, name: string, arn: string): Promise<void> => {
    const answer = await ask(action, { [name]: arn });
    if (!answer.ok)
      throw new Error(`Expected ${action} of the emulator to answer, got ${answer.error.message}`);
    attributes.set(arn, pairs(answer.result, 'Attributes'));
  };
  for (const arn of world.targetGroups.keys())
    await read('DescribeTargetGroupAttributes', 'TargetGroupArn', arn);
  for (const arn of world.loadBalancers.keys())
    await read('DescribeLoadBalancerAttributes', 'LoadBalancerArn', arn);
  return attributes;
}

async function loadTags(ask: Ask, world: World): Promise<World['tags']> {
  const maps = [world.loadBalancers, world.listeners, world.rules, world.targetGroups];
  const ResourceArns = maps.flatMap((map) => [...map.keys()]);
  if (ResourceArns.length === 0) return new Map();
  const answer = await ask('DescribeTags', { ResourceArns });
  if (!answer.ok)
    throw new Error(`Expected DescribeTags of the emulator to answer, got ${answer.error.message}`);
  return new Map(
    items(answer.result, 'TagDescriptions').map((one) => [
      text(one, 'ResourceArn') ?? '',
      pairs(one, 'Tags'),
    ]),
  );
}
