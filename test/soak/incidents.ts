import { setTimeout as wait } from 'node:timers/promises';
import { CELL, FREEZE } from '../../clients/kubernetes/kinds.ts';
import type { FaultInput } from '../../elbv2-proxy/control.ts';
import type { Stage } from '../support/stage/stage.ts';
import type { AbortWatch } from './aborts.ts';
import type { Dice } from './dice.ts';
import type { SoakedCell } from './soaked-cell.ts';

/** Something that may happen to a Cell, or to all of them. */
export interface Incident {
  readonly name: string;
  /** How often it happens, beside the others. */
  readonly weight: number;
  /** Whether an abort that was sent before may come to something else by this. */
  readonly disturbs?: true;
  /** Lets it happen, and says more of it. */
  readonly happen: (cell: SoakedCell) => Promise<string | void>;
}

/** Where incidents happen. */
export interface Surroundings {
  readonly stage: Stage;
  readonly dice: Dice;
  readonly aborts: AbortWatch;
}

const WRITES: ('ModifyRule' | 'CreateRule' | 'ModifyListener')[] = [
  'ModifyRule',
  'CreateRule',
  'ModifyListener',
];
const READS: ('DescribeRules' | 'DescribeListeners')[] = ['DescribeRules', 'DescribeListeners'];

const faultsOf = (contains: string): readonly FaultInput[] => [
  { kind: 'throttle', match: { action: WRITES, contains }, times: 5 },
  { kind: 'throttle', match: { action: READS, contains }, times: 5 },
  { kind: 'drop', when: 'after', match: { action: WRITES, contains }, times: 2 },
  { kind: 'drop', when: 'before', match: { action: WRITES, contains }, times: 2 },
  { kind: 'delay', delayMs: 2_000, match: { action: WRITES, contains }, times: 2 },
  { kind: 'stale', staleMs: 2_000, match: { action: READS, contains }, times: 6 },
];

const requests = ['pause', 'resume', 'promote', 'promoteFull', 'retry'] as const;

/** Most versions have one or two target groups, so that two of them fit into a rule. */
const MOST_GROUPS = 2;

/** All that may happen. */
export function incidentsOn({ stage, dice, aborts }: Surroundings): readonly Incident[] {
  const anyGroup = (cell: SoakedCell): string => dice.pick([...cell.groups.keys()]);
  const roomyVersion = (cell: SoakedCell): string | undefined => {
    const version = dice.pick([...cell.groups.values()]);
    const members = [...cell.groups.values()].filter((one) => one === version);
    return members.length < MOST_GROUPS ? version : undefined;
  };
  let isFrozen = false;
  return [
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
      disturbs: true,
      async happen(cell) {
        const [name, version] = [anyGroup(cell), roomyVersion(cell)];
        if (version !== undefined) await cell.add(version, name);
        return `${name} ${version ?? 'none'}`;
      },
    },
    {
      name: 'an AWSTargetGroup is deleted',
      weight: 2,
      disturbs: true,
      async happen(cell) {
        if (cell.groups.size < 2) return 'none';
        const name = anyGroup(cell);
        await cell.remove(name);
        return name;
      },
    },
    { name: 'steps are edited', weight: 2, disturbs: true, happen: (cell) => cell.editSteps() },
    { name: 'the spec is edited', weight: 3, disturbs: true, happen: (cell) => cell.edit() },
    ...requests.map((name): Incident => ({
      name,
      weight: 2,
      ...(name === 'retry' || name === 'promoteFull' ? { disturbs: true } : {}),
      happen: (cell) => stage.signal(cell.name, name, { by: 'ann' }),
    })),
    { name: 'abort', weight: 4, happen: (cell) => aborts.abort(cell) },
    {
      name: 'a Freeze comes or goes',
      weight: 1,
      async happen() {
        await (isFrozen ? thaw(stage) : freeze(stage));
        isFrozen = !isFrozen;
        return isFrozen ? 'comes' : 'goes';
      },
    },
    {
      name: 'what is measured changes',
      weight: 2,
      happen() {
        stage.metrics.rate = dice.pick([1, 1, undefined, 0.5]);
        return Promise.resolve(String(stage.metrics.rate));
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
      name: 'ELBv2 fails',
      weight: 3,
      async happen({ loadBalancer }) {
        const fault = dice.pick(faultsOf(loadBalancer));
        await stage.proxy.addFault(fault);
        return JSON.stringify(fault);
      },
    },
    {
      name: 'okrad is ended',
      weight: 1,
      async happen() {
        await stage.okrad.end(dice.pick(['SIGKILL', 'SIGTERM']));
        await wait(dice.number() * 1_500);
        stage.okrad.start();
      },
    },
    {
      name: 'the run is terminated',
      weight: 1,
      disturbs: true,
      happen: (cell) => stage.desk.terminate(stage.workflowId(cell.name)),
    },
    {
      name: 'the Cell is deleted and comes again',
      weight: 1,
      disturbs: true,
      async happen(cell) {
        await stage.delete(CELL, cell.name, { wait: false });
        await wait(dice.number() * 500);
        await cell.apply();
      },
    },
  ];
}

const freeze = (stage: Stage): Promise<void> =>
  stage.apply({
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'Freeze',
    metadata: { name: stage.namespace },
    spec: { by: 'ops', reason: 'Friday.', namespaces: [stage.namespace] },
  });

/** Ends the Freeze of a stage, if there is one. */
export async function thaw(stage: Stage): Promise<void> {
  if ((await stage.kubernetes.get(FREEZE, { name: stage.namespace })) === undefined) return;
  await stage.delete(FREEZE, stage.namespace);
}
