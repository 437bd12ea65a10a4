import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';

import { startStack, type Stack } from '../../local/stack.ts';
import { waitFor } from '../../local/wait.ts';

const run = promisify(execFile);

type Tool = (name: 'kubectl' | 'temporal', args: string, input?: string) => Promise<string>;

/** Runs a command as one who has the environment of a stack. */
const toolOf =
  ({ environment }: Pick<Stack, 'environment'>): Tool =>
  async (name, args, input = '') => {
    const running = run(name, args.split(' '), { env: { ...process.env, ...environment } });
    running.child.stdin?.end(input);
    return (await running).stdout;
  };

describe('the local stack', () => {
  const stack = inject('stack');
  const namespace = `stack-${process.pid}-${Date.now().toString(36)}`;
  const kubectl = (args: string, input?: unknown): Promise<string> =>
    toolOf(stack)('kubectl', `-n ${namespace} ${args}`, JSON.stringify(input));
  beforeAll(() => kubectl(`create namespace ${namespace}`));
  afterAll(() => kubectl(`delete namespace ${namespace} --wait=false`));

  it('answers kubectl, and reports the pinned version', async () => {
    expect(await kubectl('get --raw /readyz')).toBe('ok');
    expect(await kubectl('version')).toContain('Server Version: v1.36.3');
  });

  it('completes a Job on its node', async () => {
    await kubectl('create job work --image=busybox');
    await kubectl('wait --for=condition=Complete job/work --timeout=60s');
  });

  it('collects what its owner leaves behind', async () => {
    const owner: { metadata: { uid: string } } = JSON.parse(
      await kubectl('create configmap owner --from-literal=a=b -o json'),
    );
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }];
    const owned = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owned', ownerReferences } };
    await kubectl('create -f -', owned);
    await kubectl('delete configmap owner');
    await kubectl('wait --for=delete configmap/owned --timeout=60s');
  });

  it('ends an AnalysisRun that measures a web endpoint as Successful', async () => {
    await kubectl('create -f -', analysisRunOf(`${stack.temporal.ui}/api/v1/namespaces/default`));
    await kubectl('wait --for=jsonpath={.status.phase}=Successful analysisrun/measure --timeout=60s');
  });

  it('passes AWS services other than ELBv2 through the proxy', async () => {
    const response = await fetch(`${stack.aws.endpoint}/clusters`, {
      headers: {
        authorization: `AWS4-HMAC-SHA256 Credential=test/20200101/${stack.aws.region}/eks/aws4_request, SignedHeaders=host, Signature=none`,
      },
    });
    expect(await response.json()).toMatchObject({ clusters: expect.any(Array) as unknown });
  });
});

// Its servers are killed, so that it is not that of the other tests; it has no more of them than is looked at.
describe('a local stack whose servers end', () => {
  let dir = '';
  let stack: Stack;
  let tool: Tool;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'okra-stack-test-'));
    stack = await startStack({ dir, components: [...jobs, 'temporal'] });
    tool = toolOf(stack);
  });
  afterAll(async () => {
    await stack.stopAll();
    rmSync(dir, { recursive: true });
  });
  // A test that fails may have left one of them ended.
  afterEach(async () => {
    for (const server of ['etcd', 'kube-apiserver', 'temporal', 'kwok']) await stack.start(server);
  });
  const jobs = ['kube-controller-manager', 'kube-scheduler', 'kwok'];
  const kubectl = (args: string): Promise<string> => tool('kubectl', args);
  const createConfigMap = (name: string): Promise<string> =>
    kubectl(`create configmap ${name} --from-literal=a=b`);

  it('keeps ports and objects over a kill -9 and a restart of the API server', async () => {
    await createConfigMap('kept');
    const { url } = stack.kubernetes;
    await stack.kill('kube-apiserver', 'SIGKILL');
    expect(stack.pid('kube-apiserver')).toBeUndefined();
    await expect(kubectl('get configmap kept --request-timeout=2s')).rejects.toThrow('refused');
    await stack.start('kube-apiserver');
    expect(await kubectl('get configmap kept -o name')).toBe('configmap/kept\n');
    expect(stack.kubernetes.url).toBe(url);
  });

  it('keeps objects over a restart of etcd', async () => {
    await createConfigMap('kept-too');
    await stack.kill('etcd', 'SIGKILL');
    await stack.start('etcd');
    await waitFor({ what: 'the object to be found again' }, () => kubectl('get configmap kept-too -o name'));
  });

  it('has controllers that work on after these restarts', async () => {
    await kubectl('create job afterwards --image=busybox');
    await kubectl('wait --for=condition=Complete job/afterwards --timeout=60s');
  });

  it('keeps workflows over a kill -9 and a restart of Temporal', async () => {
    await tool('temporal', 'workflow start --type sleeper --task-queue nobody --workflow-id kept');
    await stack.kill('temporal', 'SIGKILL');
    await stack.start('temporal');
    await stack.restart('temporal');
    expect(await tool('temporal', 'workflow describe --workflow-id kept -o json')).toContain(
      'WORKFLOW_EXECUTION_STATUS_RUNNING',
    );
  });

  it('refuses to kill what does not run, and names what there is', async () => {
    await stack.stop('kwok');
    await expect(stack.kill('kwok', 'SIGKILL')).rejects.toThrow(
      'Expected kwok to run, it does not. Start it first.',
    );
    await stack.start('kwok');
    expect(() => stack.pid('docker')).toThrow('Expected a component out of etcd, kube-apiserver');
  });
});

function analysisRunOf(url: string): unknown {
  const web = { url, jsonPath: '{$.namespaceInfo.state}' };
  const metric = {
    name: 'state',
    interval: '1s',
    count: 3,
    successCondition: 'result == "NAMESPACE_STATE_REGISTERED"',
    provider: { web },
  };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AnalysisRun',
    metadata: { name: 'measure' },
    spec: { metrics: [metric] },
  };
}
