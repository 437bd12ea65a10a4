import type { Stage } from '../../support/stage/stage.ts';
import type { Dice } from '../common/dice.ts';
import { faultIncident } from '../common/faults.ts';
import type { Incident } from '../common/incident.ts';
import { processIncidents } from '../common/processes.ts';
import type { SoakedBindings } from './soaked-bindings.ts';

const writes = ['RegisterTargets', 'DeregisterTargets'] as const;
const reads = ['DescribeTargetHealth', 'DescribeTargetGroups'] as const;

/** All that may happen to bindings. */
export function incidentsOn(
  stage: Stage,
  dice: Dice,
  soaked: SoakedBindings,
): readonly Incident<{ readonly name: string }>[] {
  const { nodes } = soaked;
  const anyGroup = (): string => dice.pick(soaked.arns);
  return [
    ...processIncidents(stage, dice, (isAsleep) => soaked.sleeps(isAsleep)),
    faultIncident(stage, dice, { writes, reads, about: anyGroup }),
    { name: 'a node comes', weight: 4, happen: () => nodes.add() },
    { name: 'a node comes that is not ready', weight: 1, happen: () => nodes.add(false) },
    { name: 'a node goes', weight: 3, happen: () => nodes.remove() },
    { name: 'a node is ready or not', weight: 2, happen: () => nodes.setReady(dice.number() < 0.5) },
    { name: 'the spec is edited', weight: 2, happen: ({ name }) => soaked.edit(name) },
    { name: 'it is deleted and comes again', weight: 1, happen: ({ name }) => soaked.recreate(name) },
    { name: 'a rule', weight: 3, happen: () => soaked.forward(anyGroup()) },
    { name: 'a target is lost', weight: 2, happen: () => soaked.lose(anyGroup()) },
    { name: 'a cluster goes or comes back', weight: 4, happen: () => nodes.toggleCluster() },
    { name: 'the run is terminated', weight: 1, happen: ({ name }) => soaked.terminate(name) },
  ];
}
