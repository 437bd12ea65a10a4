import { symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { LonePlan } from '../lone-component.ts';
import type { Component } from '../process.ts';
import { awsIdentity } from './aws.ts';
import { answersOk, waitFor } from '../wait.ts';

/** What the parts of one Argo CD have in common. */
export interface ArgoCDParts {
  /** The program whose first argument names the part. */
  readonly command: string;
  readonly kubeconfig: string;
  /** Where its objects are. */
  readonly namespace: string;
}

/** Plans the ApplicationSet controller of Argo CD, which makes Applications out of the cluster secrets of one namespace. */
export async function planApplicationSets(
  { command, kubeconfig, namespace }: ArgoCDParts,
  { port }: LonePlan,
): Promise<Component> {
  const [metrics, probe, webhook] = [await port(), await port(), await port()];
  return {
    name: `argocd-applicationset-controller-${namespace}`,
    after: [],
    command,
    // One half of it reads this variable, and the other the argument.
    env: { KUBECONFIG: kubeconfig },
    args: [
      'argocd-applicationset-controller',
      `--kubeconfig=${kubeconfig}`,
      `--namespace=${namespace}`,
      '--enable-leader-election=false',
      // No generator here reads Git.
      '--argocd-repo-server=127.0.0.1:1',
      '--enable-scm-providers=false',
      '--loglevel=warn',
      `--metrics-addr=127.0.0.1:${metrics}`,
      `--probe-addr=127.0.0.1:${probe}`,
      `--webhook-addr=127.0.0.1:${webhook}`,
    ],
    ready: (signal) => ready(`http://127.0.0.1:${metrics}/metrics`, signal),
  };
}

/** What the parts that deploy have in common. */
export interface DeployingParts extends ArgoCDParts {
  /** Ports of 127.0.0.1, at which these two are. */
  readonly redis: number;
  readonly repoServer: number;
}

/** Plans the Redis that the others share. */
export const planRedis = ({ command, namespace, redis }: DeployingParts): Promise<Component> =>
  Promise.resolve({
    name: `argocd-redis-${namespace}`,
    after: [],
    command,
    args: ['redis', `127.0.0.1:${redis}`],
    // Those that use it connect again until it listens.
    ready: () => Promise.resolve(true),
  });

/** Plans the repo-server, which reads manifests from Git. */
export async function planRepoServer(
  { command, namespace, redis, repoServer }: DeployingParts,
  { dir, port }: LonePlan,
): Promise<Component> {
  const metrics = await port();
  return {
    name: `argocd-repo-server-${namespace}`,
    after: [],
    command,
    env: { ARGOCD_GPG_ENABLED: 'false', ARGOCD_ASK_PASS_SOCK: join(dir, 'ask-pass.sock') },
    args: [
      'argocd-repo-server',
      '--address=127.0.0.1',
      `--port=${repoServer}`,
      '--metrics-address=127.0.0.1',
      `--metrics-port=${metrics}`,
      '--disable-tls',
      `--redis=127.0.0.1:${redis}`,
      '--loglevel=warn',
      // How long it goes by what a branch named when it last asked.
      '--revision-cache-expiration=2s',
    ],
    ready: (signal) => ready(`http://127.0.0.1:${metrics}/healthz`, signal),
  };
}

/** Plans the application controller, which deploys and deletes. */
export async function planApplicationController(
  parts: DeployingParts,
  { dir, port }: LonePlan,
): Promise<Component> {
  const metrics = await port();
  return {
    name: `argocd-application-controller-${parts.namespace}`,
    after: [],
    command: parts.command,
    // It signs its tokens for EKS clusters as the emulator's user.
    env: { ...awsIdentity.environment, PATH: [dir, process.env['PATH'] ?? ''].join(delimiter) },
    args: [
      'argocd-application-controller',
      `--kubeconfig=${parts.kubeconfig}`,
      `--namespace=${parts.namespace}`,
      `--redis=127.0.0.1:${parts.redis}`,
      `--repo-server=127.0.0.1:${parts.repoServer}`,
      '--repo-server-plaintext',
      '--loglevel=warn',
      // It compares every three minutes otherwise; nobody here wants to wait for that.
      '--app-resync=5',
      '--app-resync-jitter=0',
      // It has no argument for the address of this, and listens on all.
      `--metrics-port=${metrics}`,
    ],
    prepare: () => symlink(parts.command, join(dir, 'argocd-k8s-auth')),
    ready: (signal) => ready(`http://127.0.0.1:${metrics}/healthz`, signal),
  };
}

const ready = (url: string, signal: AbortSignal): Promise<true> =>
  waitFor({ what: `${url} to answer`, signal }, () => answersOk(url));
