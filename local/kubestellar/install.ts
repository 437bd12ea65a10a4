import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import {
  BINDING,
  BINDING_POLICY,
  COMBINED_STATUS,
  STATUS_COLLECTOR,
} from '../../clients/kubernetes/kinds.ts';
import type { Identified, KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { waitFor } from '../wait.ts';

const folder = join(import.meta.dirname, 'definitions');

/** Installs the kinds of KubeStellar that Okra works with, and waits until they are served. */
export async function installKubeStellar(kubernetes: KubernetesClient): Promise<void> {
  const definitions = readdirSync(folder).map(
    (file) => parse(readFileSync(join(folder, file), 'utf8')) as Identified,
  );
  await Promise.all(definitions.map((one) => kubernetes.apply(one, { force: true })));
  await Promise.all(
    [BINDING, BINDING_POLICY, COMBINED_STATUS, STATUS_COLLECTOR].map((kind) =>
      waitFor({ what: `${kind.kind} to be served` }, async () =>
        (await kubernetes.serves(kind)) ? true : undefined,
      ),
    ),
  );
}
