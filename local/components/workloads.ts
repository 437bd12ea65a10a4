import { request } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { applyObject, at, callKubernetes } from '../kubernetes.ts';
import type { Component } from '../process.ts';
import { answersOk, waitFor } from '../wait.ts';
import { compiledPrograms, type Plan } from './plan.ts';

const node = 'okra-local';

// What Jobs, ReplicaSets, owner references and namespaces need; `node-lifecycle-controller` takes the not-ready taint away.
const controllers = [
  'clusterrole-aggregation-controller',
  'deployment-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
  'job-controller',
  'namespace-controller',
  'node-lifecycle-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'serviceaccount-controller',
  'taint-eviction-controller',
  'ttl-after-finished-controller',
];

/** What deletes in a workload cluster what belongs to something that is deleted. */
export const collectors = ['garbage-collector-controller', 'namespace-controller'];

/** Plans the controller manager with the controllers that the stack, unless it is said, has a use for. */
export async function planControllerManager(plan: Plan, run = controllers): Promise<Component> {
  const port = await plan.port();
  return {
    name: 'kube-controller-manager',
    after: ['kube-apiserver'],
    command: plan.executable('kube-controller-manager'),
    args: [
      `--kubeconfig=${plan.kubernetes.kubeconfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${join(plan.dir, 'certs-controller-manager')}`,
      '--leader-elect=false',
      `--controllers=${run.join(',')}`,
      // kwok stops to say at times that its Node is alive, when many pods come and go.
      '--node-monitor-grace-period=24h',
    ],
    ready: (signal) => waitForHealth(port, signal),
  };
}

/** Plans the scheduler. */
export async function planScheduler(plan: Plan): Promise<Component> {
  const port = await plan.port();
  return {
    name: 'kube-scheduler',
    after: ['kube-apiserver'],
    command: plan.executable('kube-scheduler'),
    args: [
      `--kubeconfig=${plan.kubernetes.kubeconfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${join(plan.dir, 'certs-scheduler')}`,
      '--leader-elect=false',
    ],
    ready: (signal) => waitForHealth(port, signal),
  };
}

/** Plans kwok, which plays the kubelet of one Node and completes its pods. */
export async function planKwok(plan: Plan): Promise<Component> {
  const address = `127.0.0.1:${await plan.port()}`;
  const { kubernetes } = plan;
  const tainted = plan.components.includes('kube-controller-manager');
  return {
    name: 'kwok',
    after: ['kube-apiserver'],
    command: plan.executable('kwok'),
    args: [
      `--kubeconfig=${kubernetes.kubeconfig}`,
      '--manage-all-nodes=true',
      `--server-address=${address}`,
      `--config=${fileURLToPath(new URL('../jobs/pod-stages.yaml', import.meta.url))}`,
    ],
    prepare: async () => {
      await applyObject(kubernetes, `/api/v1/nodes/${node}`, JSON.stringify(nodeObject));
    },
    ready: async (signal) => {
      await waitFor({ what: `http://${address}/healthz to answer`, signal }, () =>
        answersOk(`http://${address}/healthz`),
      );
      // Whoever takes the taint away is itself starting at this time.
      if (tainted) await waitFor({ what: `Node ${node} to take pods`, signal }, () => takesPods(plan));
    },
  };
}

/** Plans what runs the commands of the pods of Okra's Jobs, which kwok only says run. */
export const planJobRunner = ({ kubernetes }: Plan): Promise<Component> =>
  Promise.resolve({
    name: 'job-runner',
    after: ['kwok'],
    command: process.execPath,
    args: [
      fileURLToPath(new URL('../jobs/main.ts', import.meta.url)),
      `--kubeconfig=${kubernetes.kubeconfig}`,
    ],
    env: compiledPrograms(),
    // It lists what there is once it runs, so that nobody has to wait for it.
    ready: () => Promise.resolve(true),
  });

const nodeObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: node,
    annotations: { 'kwok.x-k8s.io/node': 'fake' },
    labels: { 'kubernetes.io/hostname': node, 'kubernetes.io/os': 'linux', type: 'kwok' },
  },
  status: {
    allocatable: { cpu: '64', memory: '256Gi', pods: '1000' },
    capacity: { cpu: '64', memory: '256Gi', pods: '1000' },
  },
};

async function takesPods({ kubernetes }: Plan): Promise<true | undefined> {
  const found: unknown = JSON.parse(await callKubernetes(kubernetes, { path: `/api/v1/nodes/${node}` }));
  const conditions = at(at(found, 'status'), 'conditions');
  const ready =
    Array.isArray(conditions) &&
    conditions.some((entry) => at(entry, 'type') === 'Ready' && at(entry, 'status') === 'True');
  return ready && at(at(found, 'spec'), 'taints') === undefined ? true : undefined;
}

function waitForHealth(port: number, signal: AbortSignal): Promise<true> {
  const url = `https://127.0.0.1:${port}/healthz`;
  return waitFor({ what: `${url} to answer`, signal }, () => answersOkUnverified(url));
}

// These two sign a certificate for themselves that nobody else has to trust; only their health is asked for.
function answersOkUnverified(url: string): Promise<true | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { rejectUnauthorized: false, agent: false, timeout: 2_000 }, (reply) => {
      reply.resume();
      resolve(reply.statusCode === 200 ? true : undefined);
    });
    sent.once('timeout', () => sent.destroy(new Error(`${url} was not answered within 2 s`)));
    sent.once('error', reject);
    sent.end();
  });
}
