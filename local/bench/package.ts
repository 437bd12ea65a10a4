import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from '../../deploy/package/build.ts';
import type { Stack } from '../stack.ts';

const root = join(import.meta.dirname, '../..');

/** What deploy/Dockerfile sets for okrad. */
export const imageEnvironment = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };

/** Builds the package once for a stack; answers with the program that the image runs. */
export async function packagedOkrad({ dir }: Stack): Promise<string> {
  const folder = join(dir, 'package');
  if (!existsSync(join(folder, 'node_modules'))) {
    await build(join(folder, 'dist'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  }
  return join(folder, 'dist/cli/okrad.js');
}
