import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { APP_PROJECT, APPLICATION, APPLICATION_SET } from '../../clients/kubernetes/kinds.ts';
import {
  connectKubernetes,
  type Identified,
  type KubernetesClient,
} from '../../clients/kubernetes/kubernetes.ts';
import {
  planApplicationController,
  planApplicationSets,
  planRedis,
  planRepoServer,
} from '../components/argo-cd.ts';
import { withLock } from '../lock.mjs';
import { startLone } from '../lone-component.ts';
import { reservePorts } from '../ports.ts';
import { provision } from '../provision.mjs';
import { argoCD, deployingArgoCD } from '../tools.mjs';
import { waitFor } from '../wait.ts';
import { makeRepository, type Repository } from './repository.ts';

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
  const command = await installArgoCDKinds(kubeconfig);
  await applySettings(kubeconfig, namespace);
  return startLone((plan) => planApplicationSets({ command, kubeconfig, namespace }, plan), logs);
}

/** An Argo CD that deploys from a Git repository. */
export interface DeployingArgoCD extends AsyncDisposable {
  readonly repository: Repository;
}

/** Does what startArgoCD does, and has the real application controller and repo-server deploy for this namespace as well. */
export async function startDeployingArgoCD(
  { kubeconfig, logs }: ArgoCDGround,
  namespace: string,
): Promise<DeployingArgoCD> {
  await using undo = new AsyncDisposableStack();
  const command = await installArgoCDKinds(kubeconfig, deployingArgoCD);
  await applySettings(kubeconfig, namespace);
  const repository = undo.use(await makeRepository());
  const ports = reservePorts();
  undo.defer(ports.release);
  const [redis, repoServer] = [await ports.reserve(), await ports.reserve()];
  const parts = { command, kubeconfig, namespace, redis, repoServer };
  for (const plan of [planRedis, planRepoServer, planApplicationController, planApplicationSets])
    undo.use(await startLone((ground) => plan(parts, ground), logs));
  const end = undo.move();
  return { repository, [Symbol.asyncDispose]: () => end.disposeAsync() };
}

/** Installs the kinds of Argo CD alone, and answers with the path of its program. */
export async function installArgoCDKinds(
  kubeconfig: string,
  tools: readonly string[] = argoCD,
): Promise<string> {
  const [command = ''] = Object.values(await provision(tools, { env: process.env, say: () => undefined }));
  const install = () => installKinds(connectKubernetes(kubeconfig), join(dirname(command), 'crds'));
  // Several test files begin at once, and an API server that gets a megabyte from each answers none within its time.
  await withLock(join(dirname(kubeconfig), 'argo-cd-kinds.lock'), {}, install);
  return command;
}

async function applySettings(kubeconfig: string, namespace: string): Promise<void> {
  const kubernetes = connectKubernetes(kubeconfig);
  for (const object of settingsFor(namespace)) await kubernetes.apply(object, { force: true });
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
    spec: {
      sourceRepos: ['*'],
      destinations: [{ namespace: '*', server: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  },
];

const marks = (name: string, namespace: string) => ({ namespace, name, labels: LABELS });
