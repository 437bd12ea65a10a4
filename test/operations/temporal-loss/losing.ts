import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stack } from '../../../local/stack.ts';

const DATABASE = 'temporal.db';

/** Ends the Temporal server of a stack, and starts it again at the same address without anything that it knew. */
export async function loseTemporal(stack: Stack): Promise<void> {
  await stack.kill('temporal', 'SIGKILL');
  await Promise.all((await databaseOf(stack)).map((file) => rm(join(stack.dir, file))));
  await stack.start('temporal');
}

/** Ends the Temporal server of a stack, copies its database, and starts it again; the function returned restores the copy. */
export async function backUpTemporal(stack: Stack): Promise<() => Promise<void>> {
  const backup = join(stack.dir, 'backup');
  await stack.kill('temporal', 'SIGKILL');
  const files = await databaseOf(stack);
  await mkdir(backup);
  await Promise.all(files.map((file) => copyFile(join(stack.dir, file), join(backup, file))));
  await stack.start('temporal');
  return async () => {
    await stack.kill('temporal', 'SIGKILL');
    await Promise.all((await databaseOf(stack)).map((file) => rm(join(stack.dir, file))));
    await Promise.all(files.map((file) => copyFile(join(backup, file), join(stack.dir, file))));
    await stack.start('temporal');
  };
}

async function databaseOf(stack: Stack): Promise<readonly string[]> {
  const files = (await readdir(stack.dir)).filter((file) => file.startsWith(DATABASE));
  if (files.length === 0) throw new Error(`Expected ${DATABASE} in ${stack.dir}, got none.`);
  return files;
}
