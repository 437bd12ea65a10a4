import { setTimeout as wait } from 'node:timers/promises';
import { STAGED_BINDING_POLICY } from '../../../clients/kubernetes/kinds.ts';
import type { Stage } from '../../support/stage/stage.ts';
import type { Dice } from '../common/dice.ts';
import { freezeIncident } from '../common/freeze.ts';
import type { Incident } from '../common/incident.ts';
import { processIncidents } from '../common/processes.ts';
import type { StagedAborts } from './aborts.ts';
import { inventory } from './clusters.ts';
import type { KubeStellarPlayer } from './kubestellar-player.ts';
import type { SoakedPolicy } from './soaked-policy.ts';

/** Where incidents happen. */
export interface Surroundings {
  readonly stage: Stage;
  readonly dice: Dice;
  readonly player: KubeStellarPlayer;
  readonly aborts: StagedAborts;
}

const STALL_MS = 5_000;

/** All that may happen. */
export function incidentsOn(on: Surroundings): readonly Incident<SoakedPolicy>[] {
  const { stage, dice, player, aborts } = on;
  const disturb = (policy: SoakedPolicy): void => policy.disturb();
  const ask =
    (request: string) =>
    (policy: SoakedPolicy): Promise<void> =>
      stage.desk.signal(policy.workflowId, request, { by: 'ann' });
  let version = 1;
  return [
    ...processIncidents(stage, dice),
    freezeIncident(stage),
    { name: 'the workload is edited', weight: 3, happen: () => stage.apply(nginx((version += 1))) },
    {
      name: 'a cluster is sick or well',
      weight: 5,
      happen() {
        const { name } = dice.pick(inventory);
        if (player.sick.has(name) || dice.number() < 0.5) player.sick.delete(name);
        else player.sick.add(name);
        return `${name} ${player.sick.has(name) ? 'sick' : 'well'}`;
      },
    },
    {
      name: 'KubeStellar stalls',
      weight: 2,
      happen() {
        player.isStalled = true;
        void wait(dice.number() * STALL_MS).then(() => (player.isStalled = false));
      },
    },
    { name: 'pause', weight: 2, happen: ask('pause') },
    { name: 'resume', weight: 2, happen: ask('resume') },
    { name: 'promote', weight: 2, before: disturb, happen: ask('promote') },
    { name: 'retry', weight: 4, before: disturb, happen: ask('retry') },
    { name: 'abort', weight: 3, before: disturb, happen: (policy) => aborts.abort(policy) },
    { name: 'the spec is edited', weight: 5, before: disturb, happen: (policy) => policy.edit() },
    {
      name: 'the run is terminated',
      weight: 2,
      before: (policy) => void (policy.disturbances += 1),
      happen: (policy) => stage.desk.terminate(policy.workflowId),
    },
    {
      name: 'it is deleted and comes again',
      weight: 1,
      before: disturb,
      async happen(policy) {
        await stage.kubernetes.delete(STAGED_BINDING_POLICY, { name: policy.name });
        await wait(dice.number() * 1_000);
        await policy.apply();
      },
    },
  ];
}

/** The workload, in one of its versions. */
export const nginx = (version: number): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'nginx', labels: { name: 'nginx' } },
  spec: {
    replicas: 0,
    selector: { matchLabels: { name: 'nginx' } },
    template: {
      metadata: { labels: { name: 'nginx' } },
      spec: { containers: [{ name: 'nginx', image: `nginx:${version}` }] },
    },
  },
});
