import { type Fields, items, text } from '../protocol/fields.ts';
import type { World } from './world.ts';

/** What a group knows a target by: id and port, which is the group's unless the caller names one. */
export const targetKey = (group: Fields, target: Fields): string =>
  `${text(target, 'Id') ?? ''}:${text(target, 'Port') ?? text(group, 'Port') ?? ''}`;

/** Carries a registration or its end over into the world. */
export function putTargets(world: World, action: string, parameters: Fields): World {
  const arn = text(parameters, 'TargetGroupArn') ?? '';
  const group = world.targetGroups.get(arn) ?? {};
  const targets = new Map(world.targets.get(arn));
  for (const target of items(parameters, 'Targets')) {
    const key = targetKey(group, target);
    if (action === 'RegisterTargets') targets.set(key, { ...target, Port: target['Port'] ?? group['Port'] });
    else targets.delete(key);
  }
  return { ...world, targets: new Map([...world.targets, [arn, targets]]) };
}
