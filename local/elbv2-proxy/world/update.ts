import { type Fields, items, pairs, text, texts } from '../protocol/fields.ts';
import { listenerOfRule, loadBalancerOfListener } from './arns.ts';
import { shownListener, shownRule } from './shown.ts';
import { putTargets } from './targets.ts';
import { isDefault, rulesOf, type World } from './world.ts';

/** A write that the emulator has applied. */
export interface AppliedWrite {
  readonly action: string;
  readonly parameters: Fields;
  readonly result: Fields;
}

type Part = 'loadBalancers' | 'listeners' | 'rules' | 'targetGroups';

const arnNames: Readonly<Record<Part, string>> = {
  loadBalancers: 'LoadBalancerArn',
  listeners: 'ListenerArn',
  rules: 'RuleArn',
  targetGroups: 'TargetGroupArn',
};

/** Puts what an answer shows into the world. */
export function put(world: World, part: Part, found: readonly Fields[]): World {
  if (found.length === 0) return world;
  const entries = found.map((one): [string, Fields] => [text(one, arnNames[part]) ?? '', one]);
  return { ...world, [part]: new Map([...world[part], ...entries]) };
}

const without = <T>(map: ReadonlyMap<string, T>, gone: (arn: string) => boolean): ReadonlyMap<string, T> =>
  new Map([...map].filter(([arn]) => !gone(arn)));

function remove(world: World, arn: string): World {
  const gone = (one: string): boolean => one === arn || owners(one).includes(arn);
  return {
    loadBalancers: without(world.loadBalancers, gone),
    listeners: without(world.listeners, gone),
    rules: without(world.rules, gone),
    targetGroups: without(world.targetGroups, gone),
    tags: without(world.tags, gone),
    attributes: without(world.attributes, gone),
    targets: without(world.targets, gone),
  };
}

function owners(arn: string): readonly string[] {
  if (arn.includes(':listener-rule/')) {
    return [listenerOfRule(arn), loadBalancerOfListener(listenerOfRule(arn))];
  }
  return arn.includes(':listener/') ? [loadBalancerOfListener(arn)] : [];
}

function putListeners(world: World, result: Fields): World {
  const listeners = items(result, 'Listeners').map(shownListener);
  const rules = listeners.flatMap((listener) =>
    rulesOf(world, text(listener, 'ListenerArn') ?? '')
      .filter(isDefault)
      .map((rule) => ({ ...rule, Actions: listener['DefaultActions'] })),
  );
  return put(put(world, 'listeners', listeners), 'rules', rules);
}

function putTags(world: World, arns: readonly string[], added: Readonly<Record<string, string>>): World {
  if (Object.keys(added).length === 0) return world;
  const tags = new Map(world.tags);
  for (const arn of arns) tags.set(arn, { ...tags.get(arn), ...added });
  return { ...world, tags };
}

function removeTags(world: World, parameters: Fields): World {
  const keys = new Set(texts(parameters, 'TagKeys'));
  const tags = new Map(world.tags);
  for (const arn of texts(parameters, 'ResourceArns')) {
    const left = Object.entries(tags.get(arn) ?? {}).filter(([key]) => !keys.has(key));
    tags.set(arn, Object.fromEntries(left));
  }
  return { ...world, tags };
}

function putAttributes(world: World, parameters: Fields): World {
  const arn = text(parameters, 'TargetGroupArn') ?? text(parameters, 'LoadBalancerArn') ?? '';
  const changed = { ...world.attributes.get(arn), ...pairs(parameters, 'Attributes') };
  return { ...world, attributes: new Map([...world.attributes, [arn, changed]]) };
}

const deleted: Readonly<Record<string, string>> = {
  DeleteLoadBalancer: 'LoadBalancerArn',
  DeleteListener: 'ListenerArn',
  DeleteRule: 'RuleArn',
  DeleteTargetGroup: 'TargetGroupArn',
};

const followed =
  /^(Create|Delete)(LoadBalancer|Listener|Rule|TargetGroup)$|^(Add|Remove)Tags$|^(R|Der)egisterTargets$|^Modify(Listener|Rule|TargetGroup|TargetGroupAttributes|LoadBalancerAttributes)$|^SetRulePriorities$/;

/** Tells whether the world shows all that a write changes. */
export const isFollowed = (action: string): boolean => followed.test(action);

/** Carries a write over into the world, without asking the emulator again. */
export function update(world: World, write: AppliedWrite): World {
  const { action, parameters, result } = write;
  const gone = deleted[action];
  if (gone !== undefined) return remove(world, text(parameters, gone) ?? '');
  if (action === 'AddTags')
    return putTags(world, texts(parameters, 'ResourceArns'), pairs(parameters, 'Tags'));
  if (action === 'RegisterTargets' || action === 'DeregisterTargets')
    return putTargets(world, action, parameters);
  if (action === 'RemoveTags') return removeTags(world, parameters);
  if (action === 'ModifyTargetGroupAttributes' || action === 'ModifyLoadBalancerAttributes')
    return putAttributes(world, parameters);
  const seen = (['loadBalancers', 'targetGroups', 'rules'] as const).reduce(
    (known, part) => {
      const found = items(result, part.charAt(0).toUpperCase() + part.slice(1));
      return put(known, part, part === 'rules' ? found.map(shownRule) : found);
    },
    putListeners(world, result),
  );
  return action.startsWith('Create')
    ? putTags(seen, createdArns(action, result), pairs(parameters, 'Tags'))
    : seen;
}

function createdArns(action: string, result: Fields): readonly string[] {
  const kind = action.slice('Create'.length);
  return items(result, `${kind}s`).map((one) => text(one, `${kind}Arn`) ?? '');
}
