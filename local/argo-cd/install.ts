import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { APP_PROJECT, APPLICATION, APPLICATION_SET } from '../../clients/kubernetes/kinds.ts';
import {
  connectKubernetes,
  type Identified,
  type KubernetesClient,
} from '../../clients/kubernetes/kubernetes.ts';
import { planApplicationSets } from '../components/argo-cd.ts';
import { startLone } from '../lone-component.ts';
import { provision } from '../provision.mjs';
import { argoCD } from '../tools.mjs';
import { waitFor } from '../wait.ts';

/** What of a running stack Argo CD is started on. */
export interface ArgoCDGround {
  readonly kubeconfig: string;
  /** Where its log goes; a folder of its own, unless it is said. */
  readonly logs?: string;
}

const LABELS = { 'app.kubernetes.io/part-of': 'argocd' };

/**
 * Installs what there is of Argo CD in a namespace that exists: its kinds, its settings, a project that allows everything,
 * and the real ApplicationSet controller, which works for this namespace alone until it is disposed.
 */
export async function startArgoCD(
  { kubeconfig, logs }: ArgoCDGround,
  namespace: string,
): Promise<AsyncDisposable> {
  const [command = ''] = Object.values(await provision(argoCD, { env: process.env, say: () => undefined }));
  const kubernetes = connectKubernetes(kubeconfig);
  await installKinds(kubernetes, join(dirname(command), 'crds'));
  for (const object of settingsFor(namespace)) await kubernetes.apply(object, { force: true });
  return startLone(
    ({ port }) =>
      planApplicationSets({ kubernetes: { kubeconfig }, executable: () => command, port }, namespace),
    logs,
  );
}

const kinds = [APPLICATION, APPLICATION_SET, APP_PROJECT];

/** Installs the kinds, unless another namespace has brought them: their definitions are more than a megabyte. */
async function installKinds(kubernetes: KubernetesClient, folder: string): Promise<void> {
  const served = await Promise.all(kinds.map((kind) => kubernetes.serves(kind)));
  if (served.every((one) => one)) return;
  const definitions = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => parse(readFileSync(join(folder, file), 'utf8')) as Identified);
  await Promise.all(definitions.map((one) => kubernetes.apply(one, { force: true })));
  await Promise.all(
    kinds.map((kind) =>
      waitFor({ what: `${kind.kind} to be served` }, async () =>
        (await kubernetes.serves(kind)) ? true : undefined,
      ),
    ),
  );
}

const settingsFor = (namespace: string): readonly (Identified & Readonly<Record<string, unknown>>)[] => [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: marks('argocd-cm', namespace) },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: marks('argocd-secret', namespace),
    data: { 'server.secretkey': Buffer.from('local').toString('base64') },
  },
  {
    apiVersion: APP_PROJECT.apiVersion,
    kind: APP_PROJECT.kind,
    metadata: marks('default', namespace),
    spec: { sourceRepos: ['*'], destinations: [{ namespace: '*', server: '*' }] },
  },
];

const marks = (name: string, namespace: string) => ({ namespace, name, labels: LABELS });
