import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { okradIn } from '../okrad.ts';
import { buildRunnable } from '../package.ts';
import type { Stack } from '../stack.ts';

/** What deploy/Dockerfile sets for okrad. */
export const imageEnvironment = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '131072',
  NODE_OPTIONS: '--max-semi-space-size=1',
  UV_THREADPOOL_SIZE: '28',
};

/** Builds the package once for a stack, unless `OKRA_PACKAGE` names one; answers with the program that the image runs. */
export async function packagedOkrad({ dir }: Stack): Promise<string> {
  const built = process.env['OKRA_PACKAGE'];
  if (built !== undefined) return okradIn(built);
  const folder = join(dir, 'package');
  if (!existsSync(join(folder, 'node_modules'))) await buildRunnable(folder);
  return okradIn(folder);
}
