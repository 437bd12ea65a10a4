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

/** Ends the Temporal server of a stack for a moment, and copies what it knows; answers with where the copy is. */
export async function backUpTemporal(stack: Stack): Promise<string> {
  const backup = join(stack.dir, 'backup');
  await stack.kill('temporal', 'SIGKILL');
  await rm(backup, { recursive: true, force: true });
  await mkdir(backup);
  await Promise.all(
    (await databaseOf(stack)).map((file) => copyFile(join(stack.dir, file), join(backup, file))),
  );
  await stack.start('temporal');
  return backup;
}

/** Ends the Temporal server of a stack, and starts it again at the same address with what it knew at a backup. */
export async function restoreTemporal(stack: Stack, backup: string): Promise<void> {
  await stack.kill('temporal', 'SIGKILL');
  await Promise.all((await databaseOf(stack)).map((file) => rm(join(stack.dir, file))));
  await Promise.all(
    (await readdir(backup)).map((file) => copyFile(join(backup, file), join(stack.dir, file))),
  );
  await stack.start('temporal');
}

async function databaseOf(stack: Stack): Promise<readonly string[]> {
  const files = (await readdir(stack.dir)).filter((file) => file.startsWith(DATABASE));
  if (files.length === 0) throw new Error(`Expected ${DATABASE} in ${stack.dir}, got none.`);
  return files;
}
