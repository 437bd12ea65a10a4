import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { STAGED_BINDING_POLICY } from '../../clients/kubernetes/kinds.ts';
import { connectKubernetes } from '../../clients/kubernetes/kubernetes.ts';
import { installKubeStellar } from '../../local/kubestellar/install.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';
import { diceOf } from './common/dice.ts';
import { thaw } from './common/freeze.ts';
import { letHappen } from './common/incident.ts';
import { objectsOr, SECONDS, SEED } from './common/settings.ts';
import { StagedAborts } from './staged/aborts.ts';
import { selectedBy } from './staged/clusters.ts';
import { incidentsOn, nginx } from './staged/incidents.ts';
import { KubeStellarPlayer } from './staged/kubestellar-player.ts';
import { SoakedPolicy } from './staged/soaked-policy.ts';

/** How long each may take to be completed when nothing happens any more, in milliseconds. */
const REST_MS = 120_000;

describe(`StagedBindingPolicies to which anything happens for ${SECONDS} s (seed ${SEED})`, () => {
  const dice = diceOf(SEED);
  let stage: Stage;
  let policies: readonly SoakedPolicy[];
  let player: KubeStellarPlayer;
  beforeAll(async () => {
    await installKubeStellar(connectKubernetes(inject('stack').kubeconfig));
    const environment = {
      OKRA_STAGED_BINDING_POLICY_SELECTOR: 'ignored!=true',
      OKRA_SYNC_INTERVAL: '5',
      OKRA_IDENTITY: 'soak',
    };
    stage = await Stage.open(inject('stack'), environment, { endsOkrad: true });
    await stage.apply(nginx(1));
    const names = Array.from({ length: objectsOr(4) }, (_, index) => `${stage.namespace}-s${index}`);
    policies = names.map((name) => new SoakedPolicy(stage, dice, name));
    player = new KubeStellarPlayer(stage, policies);
    for (const policy of policies) await policy.apply();
  });
  afterAll(async () => {
    await Promise.all(policies.map(({ name }) => stage.kubernetes.delete(STAGED_BINDING_POLICY, { name })));
    await player[Symbol.asyncDispose]();
    await stage.close({ writes: false });
  });

  /** Mends all that is broken, and takes back all edits. */
  async function mend(): Promise<void> {
    await thaw(stage);
    player.sick.clear();
    player.isStalled = false;
    for (const policy of policies) await policy.editBack();
  }

  /** Waits until all is done that is asked for, and sends on what waits for a person; the watchers would start lost runs within minutes. */
  async function untilCompleted(policy: SoakedPolicy): Promise<void> {
    const { name, workflowId } = policy;
    const start = {
      workflowId,
      taskQueue: stage.namespace,
      signal: 'changed',
      input: { key: { namespace: '', name } },
    };
    await until(
      `${name} to be completed`,
      async () => {
        await stage.desk.signalWithStart('stagedBinding', start);
        await wait(700);
        const { status = {}, metadata } = (await policy.read()) ?? {};
        if (status.phase === 'Paused') await stage.desk.signal(workflowId, 'resume').catch(() => undefined);
        if (status.held !== undefined) await stage.desk.signal(workflowId, 'retry').catch(() => undefined);
        const isNew = status.observedGeneration === metadata?.generation;
        return isNew && status.phase === 'Completed' && isPlacedBy(policy, status.stages);
      },
      {
        timeoutMs: REST_MS,
        seen: async () => ({ status: await policy.status(), placed: [...policy.placed.keys()] }),
      },
    );
  }

  /** Whether each stage has its BindingPolicy, and its clusters. */
  function isPlacedBy(
    { name, placed, covered }: SoakedPolicy,
    stages: readonly { readonly name: string; readonly phase: string }[] = [],
  ): boolean {
    const begun = stages.filter(({ phase }) => phase !== 'Pending').map((one) => one.name);
    const want = begun.map((one) => `${name}-${one}`).toSorted();
    const clusters = selectedBy(begun.map((env) => ({ matchLabels: { env } })));
    const has = covered();
    return [...placed.keys()].toSorted().join() === want.join() && clusters.every((one) => has.has(one));
  }

  it(
    'lose no abort and no cluster, and come to be completed',
    { timeout: SECONDS * 1000 + 6 * REST_MS },
    async () => {
      const aborts = new StagedAborts(stage);
      const incidents = incidentsOn({ stage, dice, player, aborts });
      await letHappen({ dice, objects: policies, incidents });
      expect(await aborts.lost()).toEqual([]);
      await mend();
      for (const policy of policies) await untilCompleted(policy);
      expect(policies.flatMap(({ lost }) => lost)).toEqual([]);
    },
  );
});
