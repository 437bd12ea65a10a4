import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { applyDefinitions, isServed } from './kubernetes.ts';
import type { Stack } from './stack.ts';
import { waitFor } from './wait.ts';

const manifests = fileURLToPath(new URL('../crds/manifests', import.meta.url));

/** Installs Okra's own CustomResourceDefinitions, waits until they are served, and answers their names. */
export async function installDefinitions(
  stack: Stack,
  folder: string = manifests,
): Promise<readonly string[]> {
  if (!existsSync(folder)) return [];
  const names = await applyDefinitions(stack.kubernetes, folder);
  await Promise.all(
    names.map((name) => waitFor({ what: `${name} to be served` }, () => isServed(stack.kubernetes, name))),
  );
  return names;
}
