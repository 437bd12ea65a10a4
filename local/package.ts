import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type BuildOptions } from './package/build.ts';

const root = join(import.meta.dirname, '..');

/** Builds the package into a folder from which it runs, with the packages of the checkout. */
export async function buildRunnable(folder: string, options: BuildOptions = {}): Promise<void> {
  await build(join(folder, 'dist'), options);
  await cp(join(root, 'cli/bin'), join(folder, 'cli/bin'), { recursive: true });
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
}
