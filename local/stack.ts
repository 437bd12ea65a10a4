import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

import { awsIdentity } from './components/aws.ts';
import type { KubernetesAccess } from './kubernetes.ts';
import { startMembers, stopMembers, type Member } from './orchestrate.ts';
import { reservePorts } from './ports.ts';
import { supervise } from './process.ts';
import { provision } from './provision.mjs';
import { startReaper } from './reaper.ts';
import { environmentOf, planStack, type Addresses } from './stack-plan.ts';
import { componentSets, toolsFor, withNeeds } from './tools.mjs';

/** What a caller may choose about a stack. */
export interface StackOptions {
  /** Folder for data, logs and kubeconfig; without one, a temporary folder that goes with the stack. */
  readonly dir?: string;
  /** Components to run; those that they need are added. Without a choice, all. */
  readonly components?: readonly string[];
  /** What the API server is started with besides, in the stack's folder. */
  readonly apiServerArgs?: (dir: string) => readonly string[];
  /** Whether a kubelet runs the pods (local/containers/node.ts). */
  readonly hasNodes?: boolean;
  readonly log?: (line: string) => void;
  /** Gives the start up and stops what was started so far. */
  readonly signal?: AbortSignal;
}

/** A running local stack. Reading the address of a part that it was told not to run is an error. */
export interface Stack {
  readonly dir: string;
  readonly kubeconfig: string;
  readonly kubernetes: KubernetesAccess;
  /** Base URL of etcd, on which there is room for other clusters. */
  readonly etcd: string;
  readonly temporal: { readonly address: string; readonly namespace: 'default'; readonly ui: string };
  readonly aws: {
    readonly region: string;
    readonly accountId: string;
    readonly endpoint: string;
    readonly moto: string;
  };
  /** Base URL of the proxy's control endpoint, which answers below `/_proxy/`. */
  readonly proxyControl: string;
  readonly logs: string;
  readonly binaries: Readonly<Record<string, string>>;
  readonly components: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly pid: (name: string) => number | undefined;
  readonly start: (name: string) => Promise<void>;
  readonly stop: (name: string) => Promise<void>;
  readonly restart: (name: string) => Promise<void>;
  readonly kill: (name: string, signal: NodeJS.Signals) => Promise<void>;
  readonly stopAll: () => Promise<void>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
}

/** Starts a local stack on free ports of 127.0.0.1 and answers when all of it is ready. */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { log = () => undefined, signal = new AbortController().signal } = options;
  const names = withNeeds(options.components ?? componentSets.full);
  const binaries = await provision(toolsFor(names), { env: process.env, say: log, signal });
  const dir = options.dir === undefined ? await mkdtemp(join(tmpdir(), 'okra-stack-')) : resolve(options.dir);
  const logs = join(dir, 'logs');
  await mkdir(logs, { recursive: true });
  const ports = reservePorts();
  const { components, addresses } = await planStack({
    dir,
    components: names,
    executables: binaries,
    port: ports.reserve,
    apiServerArgs: options.apiServerArgs?.(dir) ?? [],
    hasNodes: options.hasNodes ?? false,
  });
  const reaper = startReaper(options.dir === undefined ? dir : undefined);
  const surroundings = { dir, logFile: (name: string) => join(logs, `${name}.log`), reaper, log };
  const members = new Map<string, Member>(
    components.map((component) => [
      component.name,
      { component, process: supervise(component, surroundings) },
    ]),
  );
  let stopping: Promise<void> | undefined;
  const stopOnce = async (): Promise<void> => {
    await stopMembers(members);
    await reaper.close();
    await ports.release();
  };
  const stopAll = (): Promise<void> => (stopping ??= stopOnce());
  try {
    await startMembers(members, { log, signal });
  } catch (error) {
    await stopAll();
    throw error;
  }
  return describe({ dir, logs, binaries, addresses, members, stopAll });
}

interface Parts {
  readonly dir: string;
  readonly logs: string;
  readonly binaries: Readonly<Record<string, string>>;
  readonly addresses: Addresses;
  readonly members: ReadonlyMap<string, Member>;
  readonly stopAll: () => Promise<void>;
}

function describe({ dir, logs, binaries, addresses, members, stopAll }: Parts): Stack {
  const process = (name: string): Member['process'] => {
    const member = members.get(name);
    if (member !== undefined) return member.process;
    throw new Error(`Expected a component out of ${[...members.keys()].join(', ')}, got ${name}.`);
  };
  const { region, accountId } = awsIdentity;
  return {
    dir,
    logs,
    binaries,
    components: [...members.keys()],
    environment: { ...environmentOf(addresses), PATH: pathWith(binaries) },
    get kubeconfig() {
      return present('kube-apiserver', addresses.kubernetes).kubeconfig;
    },
    get kubernetes() {
      return present('kube-apiserver', addresses.kubernetes);
    },
    get etcd() {
      return present('etcd', addresses.etcd);
    },
    get temporal() {
      const { address, ui } = present('temporal', addresses.temporal);
      return { address, namespace: 'default' as const, ui };
    },
    get aws() {
      const { endpoint, moto } = present('moto', addresses.aws);
      return { region, accountId, endpoint, moto };
    },
    get proxyControl() {
      return present('elbv2-proxy', addresses.aws?.proxyControl);
    },
    pid: (name) => process(name).pid(),
    start: (name) => process(name).start(),
    stop: (name) => process(name).stop(),
    restart: async (name) => {
      await process(name).stop();
      await process(name).start();
    },
    kill: (name, signal) => process(name).kill(signal),
    stopAll,
    [Symbol.asyncDispose]: stopAll,
  };
}

function present<T>(component: string, value: T | undefined): T {
  if (value !== undefined) return value;
  throw new Error(
    `Expected a stack with ${component}, this one was started without. Name it in \`components\`.`,
  );
}

function pathWith(binaries: Readonly<Record<string, string>>): string {
  const folders = ['kubectl', 'temporal'].map((tool) => binaries[tool]).filter((path) => path !== undefined);
  return [...folders.map(dirname), process.env['PATH'] ?? ''].join(delimiter);
}
