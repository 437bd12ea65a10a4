import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { startWorkload } from '../discovery/workload.ts';
import { Stage } from '../support/stage/stage.ts';
import { incidentsOn } from './bindings/incidents.ts';
import { SoakedBindings } from './bindings/soaked-bindings.ts';
import { web } from './bindings/soaked-nodes.ts';
import { diceOf } from './common/dice.ts';
import { endFaults } from './common/faults.ts';
import { letHappen } from './common/incident.ts';
import { objectsOr, SECONDS, SEED } from './common/settings.ts';

/** How long target groups may take to have what they should when nothing happens any more, in milliseconds. */
const REST_MS = 180_000;

describe(`AWSTargetGroupBindings to which anything happens for ${SECONDS} s (seed ${SEED})`, () => {
  const dice = diceOf(SEED);
  const names = Array.from({ length: objectsOr(4) }, (_, index) => `b${index}`);
  let stage: Stage;
  let soaked: SoakedBindings;
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'), { OKRA_SYNC_INTERVAL: '2' }, { endsOkrad: true });
    const clusters = ['soak1', 'soak2'].map((name) => startWorkload(stage, name, web));
    soaked = new SoakedBindings(stage, dice, await Promise.all(clusters));
    await soaked.begin(names);
  });
  afterAll(async () => {
    await stage.close({ writes: false });
    await Promise.all(soaked.nodes.workloads.map((one) => one[Symbol.asyncDispose]()));
  });

  it(
    'lose no target that is wanted, and come to have what they ask for',
    { timeout: SECONDS * 1000 + 6 * REST_MS },
    async () => {
      const since = await stage.proxy.lastCall();
      const objects = names.map((name) => ({ name }));
      await letHappen({ dice, objects, incidents: incidentsOn(stage, dice, soaked) });
      const calls = await stage.proxy.calls({ since, mentions: soaked.arns });
      const byOkra = calls.filter(({ userAgent }) => !userAgent.includes('okra-stage'));
      expect(soaked.wanted.wronglyGone(byOkra)).toEqual([]);
      await endFaults(stage);
      await soaked.mend(names);
      await soaked.untilRight(names, REST_MS);
    },
  );
});
