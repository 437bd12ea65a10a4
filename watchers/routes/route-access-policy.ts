import type { AccessPolicy } from '../../crds/access-policy.ts';
import type { Cell } from '../../crds/cell.ts';
import { isAboutNamespace } from '../../domain/access/access.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { syncedKinds } from '../../domain/model/workflow-ids.ts';
import { loadBalancerTypes } from '../../domain/load-balancers/load-balancer.ts';
import type { Informed, ObjectEvent } from '../event.ts';
import { ignore, type Instruction } from '../instruction.ts';
import { routeConfig } from './route-config.ts';
import type { Shelved, LoadBalancerConfig, Shelf, View } from '../informer/store.ts';

/** Everybody in the namespaces of an AccessPolicy looks again when it comes, changes or goes: whoever was refused something, and whoever will be. */
export function routeAccessPolicy(
  event: ObjectEvent<AccessPolicy>,
  view: View,
  isConcerned: (cell: Cell) => boolean,
): readonly Instruction[] {
  const specs = event.type === 'update' ? [event.object.spec, event.old.spec] : [event.object.spec];
  const concerned = <T extends Informed>(shelf: Shelf<T>): Shelved<T> =>
    shelf.list().filter((object) => specs.some((spec) => isAboutNamespace(spec, keyOf(object).namespace)));
  const checked = new Set(concerned(view.AWSTargetGroup).map((group) => keyOf(group).namespace));
  const instructions: Instruction[] = [
    ...concerned(view.Cell)
      .filter(isConcerned)
      .map((one): Instruction => ({
        do: 'Start',
        kind: 'Cell',
        key: keyOf(one),
      })),
    ...loadBalancerTypes.flatMap((type) =>
      concerned<LoadBalancerConfig>(view[`${type}Config`]).flatMap((object) =>
        routeConfig(type, { type: 'add', object }, view).filter((one) => one.do === 'Start'),
      ),
    ),
    ...[...checked].map((namespace): Instruction => ({
      do: 'CheckTargetGroups',
      namespace,
    })),
    ...syncedKinds.flatMap(({ kind, namespaced }) =>
      (namespaced ? concerned<Informed>(view[kind]) : []).map((one): Instruction => ({
        do: 'Start',
        kind,
        key: keyOf(one),
      })),
    ),
  ];
  return instructions.length > 0 ? instructions : ignore('nobody is in these namespaces');
}
