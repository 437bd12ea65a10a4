import { setTimeout as wait } from 'node:timers/promises';
import { CELL } from '../../../clients/kubernetes/kinds.ts';
import type { Stage } from '../../support/stage/stage.ts';
import type { Dice } from '../common/dice.ts';
import { faultIncident } from '../common/faults.ts';
import { freezeIncident } from '../common/freeze.ts';
import type { Incident } from '../common/incident.ts';
import { processIncidents } from '../common/processes.ts';
import type { AbortWatch } from './aborts.ts';
import type { SoakedCell } from './soaked-cell.ts';

const writes = ['ModifyRule', 'CreateRule', 'ModifyListener'] as const;
const reads = ['DescribeRules', 'DescribeListeners'] as const;

/** Where incidents happen. */
export interface Surroundings {
  readonly stage: Stage;
  readonly dice: Dice;
  readonly aborts: AbortWatch;
}

const requests = ['pause', 'resume', 'promote', 'promoteFull', 'retry'] as const;

/** Most versions have one or two target groups, so that two of them fit into a rule. */
const MOST_GROUPS = 2;

/** All that may happen. */
export function incidentsOn({ stage, dice, aborts }: Surroundings): readonly Incident<SoakedCell>[] {
  const disturb = (cell: SoakedCell): Promise<void> => aborts.disturb(cell);
  const anyGroup = (cell: SoakedCell): string => dice.pick([...cell.groups.keys()]);
  const roomyVersion = (cell: SoakedCell): string | undefined => {
    const version = dice.pick([...cell.groups.values()]);
    const members = [...cell.groups.values()].filter((one) => one === version);
    return members.length < MOST_GROUPS ? version : undefined;
  };
  return [
    ...processIncidents(stage, dice),
    freezeIncident(stage),
    faultIncident(stage, dice, { writes, reads, about: ({ loadBalancer }) => loadBalancer }),
    { name: 'release', weight: 8, happen: (cell) => cell.release() },
    {
      name: 'a target group joins',
      weight: 2,
      async happen(cell) {
        const version = roomyVersion(cell);
        if (version !== undefined) await cell.add(version);
        return version ?? 'none';
      },
    },
    {
      name: 'a label is edited',
      weight: 2,
      before: disturb,
      async happen(cell) {
        const [name, version] = [anyGroup(cell), roomyVersion(cell)];
        if (version !== undefined) await cell.add(version, name);
        return `${name} ${version ?? 'none'}`;
      },
    },
    {
      name: 'an AWSTargetGroup is deleted',
      weight: 2,
      before: disturb,
      async happen(cell) {
        if (cell.groups.size < 2) return 'none';
        const name = anyGroup(cell);
        await cell.remove(name);
        return name;
      },
    },
    { name: 'steps are edited', weight: 2, before: disturb, happen: (cell) => cell.editSteps() },
    { name: 'the spec is edited', weight: 3, before: disturb, happen: (cell) => cell.edit() },
    ...requests.map((name): Incident<SoakedCell> => ({
      name,
      weight: 2,
      ...(name === 'retry' || name === 'promoteFull' ? { before: disturb } : {}),
      happen: (cell) => stage.signal(cell.name, name, { by: 'ann' }),
    })),
    { name: 'abort', weight: 4, happen: (cell) => aborts.abort(cell) },
    {
      name: 'what is measured changes',
      weight: 2,
      happen() {
        stage.metrics.rate = dice.pick([1, 1, undefined, 0.5]);
        return String(stage.metrics.rate);
      },
    },
    {
      name: 'targets change',
      weight: 2,
      async happen(cell) {
        const targetGroupArn = stage.arns.get(anyGroup(cell)) ?? '';
        if (dice.number() < 0.5) await stage.proxy.clearTargets(targetGroupArn);
        else await stage.proxy.setTargets({ targetGroupArn, state: 'unhealthy' });
      },
    },
    {
      name: 'the run is terminated',
      weight: 1,
      before: disturb,
      happen: (cell) => stage.desk.terminate(stage.workflowId(cell.name)),
    },
    {
      name: 'the Cell is deleted and comes again',
      weight: 1,
      before: disturb,
      async happen(cell) {
        await stage.delete(CELL, cell.name, { wait: false });
        await wait(dice.number() * 500);
        await cell.apply();
      },
    },
  ];
}
