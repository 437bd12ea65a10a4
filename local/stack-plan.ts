import { join } from 'node:path';

import { planArgoRollouts } from './components/argo-rollouts.ts';
import { awsIdentity, planMoto, planProxy } from './components/aws.ts';
import { planApiServer, planEtcd } from './components/control-plane.ts';
import type { Plan, Planned } from './components/plan.ts';
import { planTemporal } from './components/temporal.ts';
import { planControllerManager, planJobRunner, planKwok, planScheduler } from './components/workloads.ts';
import { type KubernetesAccess, writeCredentials } from './kubernetes.ts';
import type { Component } from './process.ts';

/** The addresses of what a stack runs; a part that it does not run has none. */
export interface Addresses {
  readonly kubernetes?: KubernetesAccess;
  /** Base URL of etcd, on which there is room for other clusters. */
  readonly etcd?: string;
  readonly temporal?: { readonly address: string; readonly ui: string; readonly http: string };
  readonly aws?: { readonly endpoint: string; readonly moto: string; readonly proxyControl?: string };
}

/** What a plan is made from. */
export interface PlanInput {
  readonly dir: string;
  readonly components: readonly string[];
  readonly executables: Readonly<Record<string, string>>;
  readonly port: () => Promise<number>;
  /** What the API server is started with besides. */
  readonly apiServerArgs?: readonly string[];
  /** Whether a kubelet runs the pods. */
  readonly hasNodes?: boolean;
}

/** Chooses ports and credentials, and says how each component is to be started. */
export async function planStack(
  input: PlanInput,
): Promise<{ readonly components: readonly Component[]; readonly addresses: Addresses }> {
  const { dir, components, executables, port, apiServerArgs = [], hasNodes = false } = input;
  const has = (name: string): boolean => components.includes(name);
  const url = `https://127.0.0.1:${await port()}`;
  const caFile = join(dir, 'certs', 'apiserver.crt');
  const kubernetes = { url, caFile, kubeconfig: join(dir, 'kubeconfig'), ...(await writeCredentials(dir)) };
  const executable = (tool: string): string => {
    const found = executables[tool];
    if (found === undefined) throw new Error(`Expected ${tool} to have been provisioned, it was not.`);
    return found;
  };
  const plan: Plan = { dir, components, kubernetes, executable, port, apiServerArgs, hasNodes };
  const temporal = has('temporal') ? await planTemporal(plan) : undefined;
  const aws = has('moto') ? await planAws(plan) : undefined;
  const etcd = has('etcd') ? await planEtcd(plan) : undefined;
  const planned = [
    ...(etcd === undefined ? [] : await planKubernetes(plan, etcd)),
    ...(temporal === undefined ? [] : [temporal.component]),
    ...(aws?.components ?? []),
  ];
  return {
    components: planned.filter(({ name }) => has(name)),
    addresses: {
      ...(has('kube-apiserver') && { kubernetes }),
      ...(etcd !== undefined && { etcd: etcd.addresses.url }),
      ...(temporal !== undefined && { temporal: temporal.addresses }),
      ...(aws !== undefined && { aws: aws.addresses }),
    },
  };
}

async function planKubernetes(
  plan: Plan,
  etcd: Planned<{ readonly url: string }>,
): Promise<readonly Component[]> {
  const others: Readonly<Record<string, (plan: Plan) => Promise<Component>>> = {
    'kube-controller-manager': planControllerManager,
    'kube-scheduler': planScheduler,
    kwok: planKwok,
    'job-runner': planJobRunner,
    'argo-rollouts': planArgoRollouts,
  };
  const wanted = Object.entries(others).filter(([name]) => plan.components.includes(name));
  const planned = await Promise.all(wanted.map(([, make]) => make(plan)));
  if (!plan.components.includes('kube-apiserver')) return [etcd.component];
  return [etcd.component, planApiServer(plan, etcd.addresses), ...planned];
}

async function planAws(
  plan: Plan,
): Promise<{ readonly components: readonly Component[]; readonly addresses: NonNullable<Addresses['aws']> }> {
  const moto = await planMoto(plan);
  const { url } = moto.addresses;
  if (!plan.components.includes('elbv2-proxy')) {
    return { components: [moto.component], addresses: { endpoint: url, moto: url } };
  }
  const proxy = await planProxy(plan, moto.addresses);
  const endpoint = proxy.addresses.url;
  return {
    components: [moto.component, proxy.component],
    addresses: { endpoint, moto: url, proxyControl: endpoint },
  };
}

/** The variables with which a child process finds the stack instead of whatever the user's own settings name. */
export function environmentOf(addresses: Addresses): Readonly<Record<string, string>> {
  const { kubernetes, temporal, aws } = addresses;
  return {
    ...(kubernetes !== undefined && { KUBECONFIG: kubernetes.kubeconfig }),
    ...(temporal !== undefined && { TEMPORAL_ADDRESS: temporal.address, TEMPORAL_NAMESPACE: 'default' }),
    ...(aws !== undefined && { AWS_ENDPOINT_URL: aws.endpoint, ...awsIdentity.environment }),
  };
}
