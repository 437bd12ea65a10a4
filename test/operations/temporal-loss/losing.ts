import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Stack } from '../../../local/stack.ts';

const DATABASE = 'temporal.db';

/** Ends the Temporal server of a stack, and starts it again at the same address without anything that it knew. */
export async function loseTemporal(stack: Stack): Promise<void> {
  await stack.kill('temporal', 'SIGKILL');
  const files = (await readdir(stack.dir)).filter((file) => file.startsWith(DATABASE));
  if (files.length === 0) throw new Error(`Expected ${DATABASE} in ${stack.dir}, got none.`);
  await Promise.all(files.map((file) => rm(join(stack.dir, file))));
  await stack.start('temporal');
}
