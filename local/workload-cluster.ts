import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { stringify } from 'yaml';

import { planApiServer, withoutServiceAccounts } from './components/control-plane.ts';
import { collectors, planControllerManager } from './components/workloads.ts';
import { startAuthenticator, type Authenticator } from './eks-authenticator/server.ts';
import { createCluster, type EmulatedAws } from './eks-fixture.ts';
import { writeCredentials, type KubernetesAccess } from './kubernetes.ts';
import { reservePorts } from './ports.ts';
import { supervise } from './process.ts';
import { startReaper } from './reaper.ts';

/** What of a running stack a workload cluster is made with. */
export interface WorkloadGround {
  /** Base URL of etcd, which all clusters share. */
  readonly etcd: string;
  readonly aws: EmulatedAws;
  readonly binaries: Readonly<Record<string, string>>;
}

/** A running API server beside the stack's own, with objects of its own, that takes EKS tokens for its name. */
export interface WorkloadCluster {
  readonly name: string;
  readonly kubernetes: KubernetesAccess;
  /** PEM in base64, as in a kubeconfig. */
  readonly caData: string;
  /** An administrator's; PEM in base64. */
  readonly client: { readonly certificate: string; readonly key: string };
  /** Its answers about tokens. */
  readonly authenticator: Authenticator;
  readonly start: () => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
  /** Ends it; the emulated EKS continues to name it. */
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

const run = promisify(execFile);

/** Writes a CA into a folder, with a certificate for 127.0.0.1 (`server`) and one for an administrator (`client`). */
export async function writeCertificates(python: string, dir: string): Promise<void> {
  await run(python, [fileURLToPath(new URL('certificates.py', import.meta.url)), dir]);
}

/** A workload cluster that is to be started. */
export interface DesiredCluster {
  readonly name: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** The VPC that EKS says it is in; undefined: none. */
  readonly vpcID?: string;
  /** What the emulator's user signs with; undefined: what the stack has its programs sign with. */
  readonly secretAccessKey?: string;
  /** Whether it deletes what belongs to something that is deleted; no cluster that only answers needs that. */
  readonly collectsGarbage?: boolean;
}

/** Starts a workload cluster and names it, with tags, in the emulated EKS. */
export async function startWorkloadCluster(
  ground: WorkloadGround,
  { secretAccessKey, collectsGarbage = false, ...cluster }: DesiredCluster,
): Promise<WorkloadCluster> {
  const { name } = cluster;
  await using undo = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'okra-workload-'));
  const [ports, reaper] = [reservePorts(), startReaper(dir)];
  undo.defer(ports.release);
  undo.defer(reaper.close);
  const authenticator = await startAuthenticator(name, ground.aws.moto, secretAccessKey);
  undo.defer(authenticator.close);
  const kubernetes = await writeFiles({ dir, ground, port: await ports.reserve(), authenticator });
  const plan = { dir, components: [], kubernetes, executable: toolIn(ground), port: ports.reserve };
  const component = planApiServer(
    plan,
    { url: ground.etcd },
    {
      name: `kube-apiserver-${name}`,
      prefix: `/workload/${name}`,
      args: [withoutServiceAccounts, ...argumentsFor(dir)],
    },
  );
  const logFile = (file: string): string => join(dir, `${file}.log`);
  const surroundings = { dir, logFile, reaper, log: () => undefined };
  const { start, stop, kill } = supervise(component, surroundings);
  undo.defer(stop);
  await start();
  if (collectsGarbage) {
    const collector = supervise(await planControllerManager(plan, collectors), surroundings);
    undo.defer(collector.stop);
    await collector.start();
  }
  const caData = await inBase64(kubernetes.caFile);
  await createCluster(ground.aws, { ...cluster, endpoint: kubernetes.url, caData });
  const client = {
    certificate: await inBase64(join(dir, 'pki', 'client.crt')),
    key: await inBase64(join(dir, 'pki', 'client.key')),
  };
  const end = undo.move();
  const dispose = (): Promise<void> => end.disposeAsync();
  return { name, kubernetes, caData, client, authenticator, start, kill, [Symbol.asyncDispose]: dispose };
}

interface Files {
  readonly dir: string;
  readonly ground: WorkloadGround;
  readonly port: number;
  readonly authenticator: Authenticator;
}

async function writeFiles({ dir, ground, port, authenticator }: Files): Promise<KubernetesAccess> {
  const webhook = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'authenticator', cluster: { server: authenticator.url } }],
    users: [{ name: 'api-server', user: {} }],
    contexts: [{ name: 'webhook', context: { cluster: 'authenticator', user: 'api-server' } }],
    'current-context': 'webhook',
  };
  const [{ token }] = await Promise.all([
    writeCredentials(dir),
    writeCertificates(toolIn(ground)('moto'), join(dir, 'pki')),
    writeFile(join(dir, 'webhook.yaml'), stringify(webhook)),
  ]);
  return {
    url: `https://127.0.0.1:${port}`,
    caFile: join(dir, 'certs', 'apiserver.crt'),
    kubeconfig: join(dir, 'kubeconfig'),
    token,
  };
}

const argumentsFor = (dir: string): readonly string[] => [
  `--client-ca-file=${join(dir, 'pki', 'ca.crt')}`,
  `--authentication-token-webhook-config-file=${join(dir, 'webhook.yaml')}`,
  '--authentication-token-webhook-version=v1',
  '--authentication-token-webhook-cache-ttl=1s',
];

const toolIn =
  ({ binaries }: WorkloadGround) =>
  (tool: string): string => {
    const found = binaries[tool];
    if (found === undefined) throw new Error(`Expected the stack to have ${tool}, it does not.`);
    return found;
  };

const inBase64 = (file: string): Promise<string> => readFile(file, 'base64');
