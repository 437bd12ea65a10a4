import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { workflowBundle } from '../../clients/temporal/workflow-bundle.ts';
import { okradIn } from '../okrad.ts';
import { buildRunnable } from '../package.ts';
import type { Stack } from '../stack.ts';

/** What deploy/Dockerfile sets for okrad. */
export const imageEnvironment = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };

/**
 * Builds the package once for a stack, with workflows that were bundled before of the same sources, unless `OKRA_PACKAGE` names
 * one; answers with the program that the image runs.
 */
export async function packagedOkrad({ dir }: Stack): Promise<string> {
  const built = process.env['OKRA_PACKAGE'];
  if (built !== undefined) return okradIn(built);
  const folder = join(dir, 'package');
  if (!existsSync(join(folder, 'node_modules')))
    await buildRunnable(folder, { workflows: () => workflowBundle(new AbortController().signal) });
  return okradIn(folder);
}
