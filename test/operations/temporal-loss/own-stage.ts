import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack, type Stack } from '../../../local/stack.ts';
import type { StackView } from '../../support/setup.ts';
import { Stage } from '../../support/stage/stage.ts';

/** A stage on a Temporal of its own, which may be emptied. */
export interface OwnStage {
  /** Temporal alone. */
  readonly stack: Stack;
  readonly stage: Stage;
  close(): Promise<void>;
}

/** Opens it; everything else but Temporal is that of the stack that all tests share. `more` is added to okrad's environment. */
export async function openOwnStage(
  shared: StackView,
  more: Readonly<Record<string, string>> = {},
): Promise<OwnStage> {
  const dir = await mkdtemp(join(tmpdir(), 'okra-temporal-loss-'));
  const stack = await startStack({ dir, components: ['temporal'] });
  const { temporal } = stack;
  const environment = { ...shared.environment, TEMPORAL_ADDRESS: temporal.address };
  const stage = await Stage.open({ ...shared, temporal, environment }, more, { endsOkrad: true });
  return {
    stack,
    stage,
    close: async () => {
      // The histories that explain the first writes are lost with the database.
      await stage.close({ writes: false });
      await stack.stopAll();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
