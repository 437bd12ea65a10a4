import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import type { Cell, CellStatus } from '../../crds/cell.ts';
import { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';
import { diceOf } from './common/dice.ts';
import { endFaults } from './common/faults.ts';
import { thaw } from './common/freeze.ts';
import { letHappen, say } from './common/incident.ts';
import { objectsOr, SECONDS, SEED } from './common/settings.ts';
import { watchAborts } from './rollouts/aborts.ts';
import { incidentsOn } from './rollouts/incidents.ts';
import { SoakedCell } from './rollouts/soaked-cell.ts';

/** How long Cells may take to come to rest when nothing happens any more, in milliseconds. */
const REST_MS = 180_000;

/** The lowest number of a version of whole ones. */
const major = (version: string): number => Number(version.split('.')[0]);

describe(`Cells to which anything happens for ${SECONDS} s (seed ${SEED})`, () => {
  const dice = diceOf(SEED);
  let stage: Stage;
  let cells: readonly SoakedCell[];
  beforeAll(async () => {
    const environment = { OKRA_IDENTITY: 'soak', OKRA_DRIFT_INTERVAL: '5' };
    stage = await Stage.open(inject('stack'), environment, { endsOkrad: true });
    await stage.apply(stage.analysisTemplate('success-rate'));
    cells = await Promise.all(
      Array.from({ length: objectsOr(7) }, (_, index) =>
        SoakedCell.serving(stage, dice, {
          name: `c${index}`,
          priority: 10 * (index + 1),
          isNetwork: index === 0,
        }),
      ),
    );
  });
  afterAll(() => stage.close());

  /** Mends all that is broken, and takes back all edits. */
  async function mend(): Promise<void> {
    await endFaults(stage);
    await thaw(stage);
    stage.metrics.rate = 1;
    for (const arn of stage.arns.values()) await stage.proxy.clearTargets(arn);
    for (const cell of cells) await cell.editBack();
  }

  /** Waits until nothing is left to do, and sends on what waits for a person; the watchers would start lost runs within minutes. */
  async function untilAtRest({ name }: SoakedCell): Promise<CellStatus> {
    const key = { namespace: stage.namespace, name };
    return until(
      `Cell ${name} to be at rest`,
      async () => {
        await stage.signalWithStart('cellRollout', stage.workflowId(name), 'changed', name);
        await wait(500);
        const status = await stage.status(name);
        if (status.phase === 'Paused' || status.phase === 'Waiting')
          await stage.signal(name, 'resume').catch(() => undefined);
        const progressing = status.conditions?.find(({ type }) => type === 'Progressing');
        const { generation } = (await stage.kubernetes.get<Cell>(CELL, key))?.metadata ?? {};
        // What stands there may be about the spec before.
        if (status.observedGeneration !== generation) return undefined;
        return progressing?.status === 'False' && status.phase !== 'Waiting' && status;
      },
      { timeoutMs: REST_MS, seen: () => stage.status(name) },
    );
  }

  it(
    'lose no abort, and come to serve the newest version that nobody has blocked',
    { timeout: SECONDS * 1000 + 2 * REST_MS },
    async () => {
      const aborts = watchAborts(stage);
      const incidents = incidentsOn({ stage, dice, aborts });
      await letHappen({ dice, objects: cells, incidents });
      expect(await aborts.lost()).toEqual([]);
      expect(await aborts.gained()).toEqual([]);
      await mend();
      const served = await Promise.all(
        cells.map(async (cell) => {
          const { stableVersion, blockedVersions = [], phase, reason } = await untilAtRest(cell);
          const isBlocked = (version: string): boolean =>
            blockedVersions.some((one) => one.version === version);
          const free = [...cell.groups.values()].filter((version) => !isBlocked(version));
          const newest = free.toSorted((a, b) => major(b) - major(a))[0];
          say(`${cell.name} ${phase} ${reason}: ${stableVersion} serves`);
          return { cell: cell.name, stableVersion, newest };
        }),
      );
      expect(served.filter(({ stableVersion, newest }) => stableVersion !== newest)).toEqual([]);
      const unfinished = `OkraNamespace="${stage.namespace}" AND ExecutionStatus IN ("Failed","TimedOut")`;
      expect(await stage.count(unfinished)).toBe(0);
      // Of a deleted group, or of one whose label was edited, nobody knows afterwards what it was when it was written.
      const broken = await stage.violations([], ...cells.map(({ priority }) => priority));
      expect(broken.filter((one) => /^I[167]:/.test(one))).toEqual([]);
    },
  );
});
