import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

import { stringify } from 'yaml';

import { callKubernetes } from '../kubernetes.ts';
import { startLone } from '../lone-component.ts';
import type { Component } from '../process.ts';
import { provision } from '../provision.mjs';
import { lastLines, outputOf } from '../run.mjs';
import type { Stack } from '../stack.ts';
import { waitFor } from '../wait.ts';
import { SYSTEM_PATH } from './here.mjs';
import { PAUSE_IMAGE, type Images } from './images.ts';

/** The address of the node on the bridge of its pods. */
export const NODE_ADDRESS = '10.88.0.1';

/** The address of the Service `kubernetes`, the first one of the stack's range. */
export const SERVICE_ADDRESS = '10.0.0.1';

const NODE = 'node';

/** A node with containerd and a kubelet, and the controllers that pods need. */
export interface Node extends AsyncDisposable {
  /** Makes a port of this machine reachable for pods; gives its address there. */
  share(url: string): Promise<string>;
}

/**
 * Starts a node of a stack whose API server admits service accounts. It needs the namespaces of Linux that main.ts makes.
 * @param dir for what the node writes, and its logs
 */
export async function startNode(stack: Stack, images: Images, dir: string): Promise<Node> {
  await using undo = new AsyncDisposableStack();
  const socket = join(dir, 'containerd.sock');
  const [tools] = await Promise.all([
    provision(['kubelet', 'kube-controller-manager'], { env: process.env, say: () => undefined }),
    writeConfigs(dir, socket),
  ]);
  const start = async (component: Pick<Component, 'name' | 'command' | 'args' | 'ready'>): Promise<void> => {
    const planned = { ...component, after: [], env: { PATH: SYSTEM_PATH } };
    undo.use(await startLone(() => Promise.resolve(planned), dir));
  };
  const ctr = (...args: readonly string[]): Promise<string> =>
    outputOf('ctr', ['--address', socket, '--namespace', 'k8s.io', ...args], { env: { PATH: SYSTEM_PATH } });
  const apiServer = Number(new URL(stack.kubernetes.url).port);
  undo.use(await forward({ address: SERVICE_ADDRESS, port: 443, to: apiServer }));
  await start({
    name: 'controllers',
    command: tools['kube-controller-manager'] ?? '',
    args: controllerArgs(stack),
    // The node is not ready without them.
    ready: () => Promise.resolve(true),
  });
  await start({
    name: 'containerd',
    command: 'containerd',
    args: ['--config', join(dir, 'containerd.toml')],
    ready: (signal) => waitFor({ what: 'containerd to answer', signal }, () => ctr('version')),
  });
  for (const image of [images.pause, images.okra]) await ctr('images', 'import', '--no-unpack', image);
  await start({
    name: 'kubelet',
    command: tools['kubelet'] ?? '',
    args: kubeletArgs(stack, dir),
    ready: (signal) => waitFor({ what: `Node ${NODE} to be ready`, signal }, () => isNodeReady(stack)),
  });
  const started = undo.move();
  return {
    share: async (url) => {
      const { protocol, port } = new URL(url.includes('://') ? url : `tcp://${url}`);
      started.use(await forward({ address: NODE_ADDRESS, port: Number(port), to: Number(port) }));
      return url.includes('://') ? `${protocol}//${NODE_ADDRESS}:${port}` : `${NODE_ADDRESS}:${port}`;
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function isNodeReady({ kubernetes }: Stack): Promise<true | undefined> {
  const node = await callKubernetes(kubernetes, { path: `/api/v1/nodes/${NODE}` });
  const { status, spec } = JSON.parse(node) as ObservedNode;
  const isReady = status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True');
  return isReady === true && (spec.taints ?? []).length === 0 ? true : undefined;
}

interface ObservedNode {
  readonly spec: { readonly taints?: readonly unknown[] };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/** The controllers of a cluster with pods; those of the local stack leave out what a kubelet needs. */
const controllerArgs = ({ dir, kubeconfig }: Stack): readonly string[] => [
  `--kubeconfig=${kubeconfig}`,
  '--bind-address=127.0.0.1',
  `--cert-dir=${join(dir, 'certs-controller-manager')}`,
  '--leader-elect=false',
  `--root-ca-file=${join(dir, 'certs', 'apiserver.crt')}`,
  `--service-account-private-key-file=${join(dir, 'service-account.key')}`,
  '--use-service-account-credentials=false',
];

const kubeletArgs = ({ kubeconfig }: Stack, dir: string): readonly string[] => [
  `--config=${join(dir, 'kubelet.yaml')}`,
  `--kubeconfig=${kubeconfig}`,
  `--hostname-override=${NODE}`,
  `--node-ip=${NODE_ADDRESS}`,
  `--root-dir=${join(dir, 'kubelet')}`,
  `--cert-dir=${join(dir, 'kubelet-certs')}`,
];

async function writeConfigs(dir: string, socket: string): Promise<void> {
  await Promise.all(['cni', 'pods'].map((name) => mkdir(join(dir, name), { recursive: true })));
  const network = {
    cniVersion: '0.4.0',
    name: 'okra',
    plugins: [
      {
        type: 'bridge',
        bridge: 'okra0',
        isGateway: true,
        ipam: { type: 'host-local', ranges: [[{ subnet: '10.88.0.0/24' }]], routes: [{ dst: '0.0.0.0/0' }] },
      },
    ],
  };
  const kubelet = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: NODE_ADDRESS,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    cgroupDriver: 'cgroupfs',
    containerRuntimeEndpoint: `unix://${socket}`,
    evictionHard: { 'memory.available': '50Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
    failCgroupV1: false,
    failSwapOn: false,
    podLogsDir: join(dir, 'pods'),
    resolvConf: '',
  };
  const cri = 'io.containerd.grpc.v1.cri';
  const containerd = [
    'version = 2',
    `root = "${join(dir, 'containerd')}"`,
    `state = "${join(dir, 'containerd-state')}"`,
    '[grpc]',
    `  address = "${socket}"`,
    `[plugins."${cri}"]`,
    `  sandbox_image = "${PAUSE_IMAGE}"`,
    '  restrict_oom_score_adj = true',
    `[plugins."${cri}".cni]`,
    '  bin_dir = "/usr/lib/cni"',
    `  conf_dir = "${join(dir, 'cni')}"`,
    `[plugins."${cri}".containerd.runtimes.runc]`,
    '  runtime_type = "io.containerd.runc.v2"',
  ];
  await Promise.all([
    writeFile(join(dir, 'cni', 'okra.conflist'), JSON.stringify(network)),
    writeFile(join(dir, 'kubelet.yaml'), stringify(kubelet)),
    writeFile(join(dir, 'containerd.toml'), `${containerd.join('\n')}\n`),
  ]);
}

/** Passes connections to a port of 127.0.0.1. */
async function forward({
  address,
  port,
  to,
}: {
  readonly address: string;
  readonly port: number;
  readonly to: number;
}): Promise<AsyncDisposable> {
  const server: Server = createServer((from) => {
    const there = connect({ host: '127.0.0.1', port: to });
    from.once('error', () => there.destroy());
    there.once('error', () => from.destroy());
    from.pipe(there).pipe(from);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port }, resolve);
  });
  return {
    [Symbol.asyncDispose]: async () => {
      server.close();
      await Promise.resolve();
    },
  };
}

/** The end of each log of a node, for a failed test. */
export async function logsOf(dir: string): Promise<string> {
  const names = ['containerd', 'kubelet', 'controllers'];
  const logs = await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(dir, `${name}.log`), 'utf8').catch(() => '');
      return `${name}:\n${lastLines(text)}`;
    }),
  );
  return logs.join('\n');
}
