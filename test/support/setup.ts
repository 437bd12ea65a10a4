import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import policy from '../../deploy/iam/policy.json' with { type: 'json' };
import { awsIdentity } from '../../local/components/aws.ts';
import { proxyControl as controlOf } from '../../local/elbv2-proxy/control.ts';
import { installDefinitions } from '../../local/install-definitions.ts';
import { recordIn, writeRecord } from '../../local/stack-record.ts';
import { startStack, type Stack } from '../../local/stack.ts';
import { auditArgs } from './audit/audit.ts';
import { startOkradHost, type OkradHost } from './okrads/host.ts';
import { buildPackage, builtModule, type BuiltPackage } from './package.ts';

/** What tests know of the stack that they share. */
export type StackView = Pick<
  Stack,
  'dir' | 'kubeconfig' | 'kubernetes' | 'etcd' | 'temporal' | 'aws' | 'proxyControl' | 'logs' | 'environment'
> & {
  readonly binaries: Stack['binaries'] & { readonly kubectl: string; readonly temporal: string };
  /** What runs okrads of stages, on the stack that all files of tests use. */
  readonly okrads?: OkradHost;
  /** What tests start okrad from. */
  readonly built: BuiltPackage;
};

declare module 'vitest' {
  interface ProvidedContext {
    stack: StackView;
  }
}

const run = promisify(execFile);

/** Installs Okra's CRDs in a stack, and gives okrad its permissions. */
export async function prepare(
  stack: Stack,
  built: BuiltPackage,
  install: (stack: Stack) => Promise<unknown> = installDefinitions,
): Promise<StackView> {
  const binaries = {
    ...stack.binaries,
    kubectl: toolOf(stack, 'kubectl'),
    temporal: toolOf(stack, 'temporal'),
  };
  // What okrad does beyond its policy is refused, as AWS would, in every test.
  const permissions = controlOf(stack.proxyControl).setPolicy(awsIdentity.okradKey, policy);
  await Promise.all([install(stack), permissions]);
  const { dir, kubeconfig, kubernetes, etcd, temporal, aws, proxyControl, logs, environment } = stack;
  const addresses = { kubeconfig, kubernetes, etcd, temporal, aws, proxyControl };
  return { dir, ...addresses, logs, environment, binaries, built };
}

function toolOf(stack: Stack, name: string): string {
  const path = stack.binaries[name];
  if (path === undefined)
    throw new Error(`Expected the stack to have ${name}, got ${Object.keys(stack.binaries).join(', ')}.`);
  return path;
}

/** Installs Okra's CRDs as the README says, and as `installDefinitions` does with less work. */
async function installByKubectl(stack: Stack): Promise<void> {
  const env = { ...process.env, ...stack.environment };
  const kubectl = (...args: string[]): Promise<unknown> => run(toolOf(stack, 'kubectl'), args, { env });
  await kubectl('apply', '-f', join(import.meta.dirname, '../../crds/manifests'));
  await kubectl('wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all');
}

/** Starts the stack that the integration tests share, with what runs their okrads, and ends both after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using undo = new AsyncDisposableStack();
  const [stack, { built }] = await Promise.all([
    startStack({ apiServerArgs: auditArgs }).then((one) => undo.use(one)),
    buildPackage().then((one) => undo.use(one)),
  ]);
  const host = undo.use(await startOkradHost(stack, builtModule(built, 'test/support/okrads/main.ts')));
  const view = await prepare(stack, built, installByKubectl);
  await writeRecord(recordIn(stack), stack);
  project.provide('stack', { ...view, okrads: host.view });
  const end = undo.move();
  return () => end.disposeAsync();
}
