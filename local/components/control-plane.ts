import { access as checkFile } from 'node:fs/promises';
import { join } from 'node:path';

import { callKubernetes, writeKubeconfig } from '../kubernetes.ts';
import type { Component } from '../process.ts';
import { answersOk, waitFor } from '../wait.ts';
import { rarelyCollected, type Plan, type Planned } from './plan.ts';

/** Plans etcd; it does not wait for the disk, since a stack survives processes that die, not machines that do. */
export async function planEtcd(plan: Plan): Promise<Planned<{ readonly url: string }>> {
  const url = `http://127.0.0.1:${await plan.port()}`;
  const peer = `http://127.0.0.1:${await plan.port()}`;
  const component: Component = {
    name: 'etcd',
    after: [],
    command: plan.executable('etcd'),
    env: rarelyCollected,
    args: [
      `--data-dir=${join(plan.dir, 'etcd')}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
    ready: (signal) => waitFor({ what: `${url}/health to answer`, signal }, () => answersOk(`${url}/health`)),
  };
  return { component, addresses: { url } };
}

/** What makes one API server differ from another on the same etcd. */
export interface ApiServerOptions {
  readonly name: string;
  /** Under which its objects lie in etcd. */
  readonly prefix: string;
  readonly args: readonly string[];
}

/** Lets pods run without a service account, since no kubelet is there that would mount its token. */
export const withoutServiceAccounts = '--disable-admission-plugins=ServiceAccount';

const managementOf = ({ apiServerArgs = [], hasNodes = false }: Plan): ApiServerOptions => ({
  name: 'kube-apiserver',
  prefix: '/management',
  args: [...(hasNodes ? [] : [withoutServiceAccounts]), ...apiServerArgs],
});

/** Plans the API server, which signs its own certificate at the first start and keeps it. */
export function planApiServer(
  plan: Plan,
  etcd: { readonly url: string },
  { name, prefix, args }: ApiServerOptions = managementOf(plan),
): Component {
  const { dir, kubernetes } = plan;
  return {
    name,
    after: ['etcd'],
    command: plan.executable('kube-apiserver'),
    env: rarelyCollected,
    args: [
      `--etcd-servers=${etcd.url}`,
      `--etcd-prefix=${prefix}`,
      `--secure-port=${new URL(kubernetes.url).port}`,
      '--bind-address=127.0.0.1',
      `--cert-dir=${join(dir, 'certs')}`,
      `--service-account-key-file=${join(dir, 'service-account.pub')}`,
      `--service-account-signing-key-file=${join(dir, 'service-account.key')}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--token-auth-file=${join(dir, 'tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.0.0.0/24',
      '--endpoint-reconciler-type=none',
      // An upgraded connection would otherwise hold a stop back for a minute.
      '--shutdown-delay-duration=0s',
      ...args,
    ],
    ready: async (signal) => {
      await waitFor({ what: `${kubernetes.caFile} to be written`, signal }, async () => {
        await checkFile(kubernetes.caFile);
        return true;
      });
      await waitFor({ what: `${kubernetes.url}/readyz to answer`, intervalMillis: 100, signal }, () =>
        callKubernetes(kubernetes, { path: '/readyz' }),
      );
      await writeKubeconfig(kubernetes);
    },
  };
}
