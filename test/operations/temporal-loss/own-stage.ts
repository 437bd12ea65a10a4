import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStack, type Stack } from '../../../local/stack.ts';
import { prepare } from '../../support/setup.ts';
import { Stage } from '../../support/stage/stage.ts';

/** A stage on a stack of its own, whose Temporal may be emptied. */
export interface OwnStage {
  readonly stack: Stack;
  readonly stage: Stage;
  close(): Promise<void>;
}

/** Opens it, with the workflows that are bundled already. */
export async function openOwnStage(
  components: NonNullable<NonNullable<Parameters<typeof startStack>[0]>['components']>,
  workflowBundle: string,
): Promise<OwnStage> {
  const dir = await mkdtemp(join(tmpdir(), 'okra-temporal-loss-'));
  const stack = await startStack({ dir, components });
  const stage = await Stage.open(await prepare(stack, workflowBundle));
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
