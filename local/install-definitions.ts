import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { applyDefinitions, untilServed } from './kubernetes.ts';
import type { Stack } from './stack.ts';

const manifests = fileURLToPath(new URL('../crds/manifests', import.meta.url));

/** Installs Okra's own CustomResourceDefinitions, waits until they are served, and answers their names. */
export async function installDefinitions(
  stack: Stack,
  folder: string = manifests,
): Promise<readonly string[]> {
  if (!existsSync(folder)) return [];
  const definitions = await applyDefinitions(stack.kubernetes, folder);
  await untilServed(stack.kubernetes, definitions);
  return definitions.map(({ name }) => name);
}
