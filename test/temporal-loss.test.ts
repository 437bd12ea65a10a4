import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CellStatus } from '../crds/cell.ts';
import { startStack, type Stack } from '../deploy/local/stack.ts';
import { Stage } from './rollout/stage.ts';
import { prepare } from './setup.ts';
import { loseTemporal } from './temporal-loss/losing.ts';

const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];

describe('when the database of Temporal is lost, a rollout', () => {
  let stack: Stack;
  let stage: Stage;
  let dir: string;
  let priority = 0;
  beforeAll(async () => {
    // Temporal is emptied here, so the stack is not shared.
    dir = await mkdtemp(join(tmpdir(), 'okra-temporal-loss-'));
    stack = await startStack({ dir });
    stage = await Stage.open(await prepare(stack));
  });
  afterAll(async () => {
    // The histories that explain the first writes are lost with the database.
    await stage.close({ writes: false });
    await stack.stopAll();
    await rm(dir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    priority += 10;
    await stage.mark();
  });
  afterEach(async () => {
    expect(await stage.violations([20, 40], priority)).toEqual([]);
  });

  /** A Cell whose rollout of 2.0.0 pauses at 20. */
  async function pauseAt20(name: string): Promise<CellStatus> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, steps }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.mark();
    await stage.targetGroups('2.0.0', [`${name}b`], { role: name });
    return await pausedAt(name, 20);
  }
  const pausedAt = (name: string, weight: number, runId?: string): Promise<CellStatus> =>
    stage.untilStatus(
      name,
      `paused at ${weight}`,
      (status) =>
        status.phase === 'Paused' && status.canaryWeight === weight && status.rollout?.runId !== runId,
    );

  it('is taken up where it stands, paused again, and completed when it is promoted', async () => {
    const before = await pauseAt20('lost');
    await loseTemporal(stack);
    await pausedAt('lost', 20, before.rollout?.runId);
    expect(await stage.writes()).toEqual([
      { losta: 100, lostb: 0 },
      { losta: 80, lostb: 20 },
    ]);
    await stage.signal('lost', 'promote', { by: 'ann', reason: 'fine' });
    await pausedAt('lost', 40);
    await stage.signal('lost', 'promote', { by: 'ann', reason: 'fine' });
    await stage.untilPhase('lost', 'Completed', '2.0.0');
    expect(await stage.writes()).toEqual([
      { losta: 100, lostb: 0 },
      { losta: 80, lostb: 20 },
      { losta: 60, lostb: 40 },
      { losta: 0, lostb: 100 },
    ]);
  });
});
