import { execFile } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFailed } from 'vitest';

import policy from '../../deploy/iam/policy.json' with { type: 'json' };
import { createListener, createTargetGroup, elbv2Of } from '../../local/aws-fixture.ts';
import { awsIdentity } from '../../local/components/aws.ts';
import type { Images } from '../../local/containers/images.ts';
import { logsOf, startNode, type Node } from '../../local/containers/node.ts';
import { targetGroupsFor } from '../../local/demo/objects.ts';
import { writeKubeconfig } from '../../local/kubernetes.ts';
import { proxyControl, type ProxyControl } from '../../local/elbv2-proxy/control.ts';
import { provision } from '../../local/provision.mjs';
import { startStack, type Stack } from '../../local/stack.ts';
import { until } from '../support/until.ts';
import { cellThatPauses, weightsOf } from './web.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const chart = join(root, 'deploy/charts/okra');
const components = ['etcd', 'kube-apiserver', 'kube-scheduler', 'temporal', 'moto', 'elbv2-proxy'];

// Nobody resolves the name of the node.
const byAddress = '--kubelet-preferred-address-types=InternalIP';

/** What local/containers/main.ts has left for the tests that it starts. */
function prepared(name: 'OKRA_CONTAINERS' | 'OKRA_IMAGES'): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set. Run \`npm test -- --containers\`.`);
  return value;
}

const images = JSON.parse(prepared('OKRA_IMAGES')) as Images;

describe('the image', () => {
  interface Inspected {
    readonly Size: number;
    readonly Config: {
      readonly User: string;
      readonly Entrypoint: readonly string[];
      readonly Labels: Readonly<Record<string, string>> | null;
    };
  }

  it('runs okrad as a user that is not root', async () => {
    const [image] = JSON.parse(await readFile(images.inspected, 'utf8')) as readonly Inspected[];
    expect(image?.Config.User).toBe('65532:65532');
    expect(image?.Config.Entrypoint).toEqual(['/nodejs/bin/node', '/okra/dist/cli/okrad.js']);
  });
});

describe('Okra, installed by Helm on a node', () => {
  const undo = new AsyncDisposableStack();
  let dir = '';
  let stack: Stack;
  let node: Node;
  let proxy: ProxyControl;
  let helmPath = '';
  let installation: readonly string[] = [];
  const arns = new Map<string, string>();

  const environment = (): NodeJS.ProcessEnv => ({ ...process.env, ...stack.environment });
  const program = async (command: string, args: readonly string[]): Promise<string> =>
    (await run(command, args, { env: environment(), maxBuffer: 16 * 1024 * 1024 })).stdout;
  const kubectl = (...args: readonly string[]): Promise<string> =>
    program(stack.binaries['kubectl'] ?? '', args);
  const helm = (...args: readonly string[]): Promise<string> => program(helmPath, args);
  const okractl = (...args: readonly string[]): Promise<string> =>
    program(process.execPath, [join(root, 'cli/okractl.ts'), ...args]);
  /** Runs okractl as a person who has a token, and no way to Temporal. */
  const okractlAs = async (token: string, ...args: readonly string[]): Promise<string> => {
    const kubeconfig = join(dir, 'person.yaml');
    await writeKubeconfig({ ...stack.kubernetes, kubeconfig, token });
    const { TEMPORAL_ADDRESS: _, ...others } = environment();
    const { stdout } = await run(process.execPath, [join(root, 'cli/okractl.ts'), ...args], {
      env: { ...others, KUBECONFIG: kubeconfig },
    });
    return stdout;
  };
  const apply = async (object: object): Promise<void> => {
    const file = join(dir, 'object.json');
    await writeFile(file, JSON.stringify(object));
    await kubectl('apply', '-f', file);
  };
  const cellIn = (phase: string): Promise<string> =>
    kubectl('wait', 'cell/web', `--for=jsonpath={.status.phase}=${phase}`, '--timeout=300s');
  const served = (): ReturnType<typeof weightsOf> => weightsOf(elbv2Of(stack), arns.get('listener') ?? '');
  const podsOf = async (): Promise<readonly string[]> =>
    (await kubectl('get', 'pods', '-n', 'okra', '-o', 'name')).split('\n').filter((name) => name !== '');
  /** Waits until four pods run and none of some others is left; gives their names. */
  const podsInPlaceOf = (others: readonly string[]): Promise<readonly string[]> =>
    until('the former pods to be gone', async () => {
      const pods = await podsOf();
      return pods.length === 4 && !pods.some((pod) => others.includes(pod)) ? pods : undefined;
    });
  const addVersion = async (version: string): Promise<void> => {
    const name = `web-${version.replaceAll('.', '-')}`;
    const { arn } = await createTargetGroup(elbv2Of(stack), name);
    await apply(targetGroupsFor(version, [{ name, arn }]));
  };
  /** Counts the calls of ELBv2 that change something. */
  const writes = async (since: number): Promise<readonly string[]> =>
    (await proxy.calls({ since }))
      .map(({ action }) => action)
      .filter((action) => !/^(Describe|Get|List)/.test(action));

  beforeAll(async () => {
    dir = await mkdtemp(join(prepared('OKRA_CONTAINERS'), 'node-'));
    stack = undo.use(await startStack({ components, hasNodes: true, apiServerArgs: () => [byAddress] }));
    node = undo.use(await startNode(stack, images, dir));
    proxy = proxyControl(stack.proxyControl);
    helmPath = (await provision(['helm'], { env: process.env, say: () => undefined }))['helm'] ?? '';
    await proxy.setPolicy(awsIdentity.okradKey, policy);
    const aws = {
      AWS_ENDPOINT_URL: await node.share(stack.aws.endpoint),
      AWS_ACCESS_KEY_ID: awsIdentity.okradKey,
      AWS_SECRET_ACCESS_KEY: 'test',
    };
    installation = [
      'image.repository=okra',
      `region=${stack.aws.region}`,
      `temporal.address=${await node.share(stack.temporal.address)}`,
      ...Object.entries(aws).flatMap(([name, value], index) => [
        `additionalEnv[${index}].name=${name}`,
        `additionalEnv[${index}].value=${value}`,
      ]),
    ].flatMap((value) => ['--set', value]);
    const { listenerArn } = await createListener(elbv2Of(stack), 'web');
    arns.set('listener', listenerArn);
  });
  afterAll(() => undo.disposeAsync());

  const upgrade = (...more: readonly string[]): Promise<string> =>
    helm(
      'upgrade',
      '--install',
      'okra',
      chart,
      '--namespace',
      'okra',
      '--wait',
      '--timeout',
      '5m',
      ...installation,
      ...more,
    );
  const explainFailure = (): void =>
    onTestFailed(async () => {
      const pods = await kubectl('describe', 'pods', '-n', 'okra').catch(String);
      const logs = await kubectl(
        'logs',
        '-n',
        'okra',
        '--all-containers',
        '--tail=20',
        '-l',
        'app.kubernetes.io/name=okra',
      ).catch(String);
      process.stderr.write(`${pods.slice(-6000)}\n${logs}\n${await logsOf(dir)}\n`);
    });

  it('starts where Pod Security is restricted, and finds nothing missing', async () => {
    explainFailure();
    await kubectl('create', 'namespace', 'okra');
    await kubectl('label', 'namespace', 'okra', 'pod-security.kubernetes.io/enforce=restricted');
    await helm('install', 'okra-crds', `${chart}-crds`, '--namespace', 'okra');
    await upgrade();
    expect(await podsOf()).toHaveLength(4);
    expect(await helm('test', 'okra', '--namespace', 'okra', '--logs')).toMatch(/Phase: +Succeeded/);
    expect(await okractl('check', '--okrad', 'okra/okra')).toContain('0 problems');
    await expect(
      kubectl('exec', '-n', 'okra', 'deployment/okra-worker', '--', '/bin/sh', '-c', 'true'),
    ).rejects.toThrow(/no such file or directory/);
  });

  it('does a rollout, and continues it when all its pods are killed', async () => {
    explainFailure();
    await addVersion('1.0.0');
    await apply(cellThatPauses(arns.get('listener') ?? ''));
    await cellIn('Completed');
    await addVersion('2.0.0');
    await cellIn('Paused');
    expect(await served()).toEqual({ 'web-1-0-0': 80, 'web-2-0-0': 20 });
    const before = await podsOf();
    await kubectl('delete', 'pods', '-n', 'okra', '--all', '--force', '--grace-period=0');
    await okractl('resume', 'web');
    await cellIn('Completed');
    expect(await served()).toMatchObject({ 'web-2-0-0': 100 });
    expect(await podsOf()).not.toEqual(before);
  });

  it('is upgraded and rolled back during a pause without a write to ELBv2', async () => {
    explainFailure();
    await addVersion('3.0.0');
    await cellIn('Paused');
    const before = await podsOf();
    const since = await proxy.lastCall();
    await upgrade('--set', 'deployment.spec.template.metadata.annotations.example\\.com/build=next');
    const upgraded = await podsInPlaceOf(before);
    await helm('rollback', 'okra', '--namespace', 'okra', '--wait', '--timeout', '5m');
    await podsInPlaceOf(upgraded);
    expect(await writes(since)).toEqual([]);
    expect(await served()).toEqual({ 'web-2-0-0': 80, 'web-3-0-0': 20 });
    await okractl('resume', 'web');
    await cellIn('Completed');
  });

  it('takes requests through the API server alone, from those who may', async () => {
    explainFailure();
    await upgrade('--set', 'dashboard.enabled=true,dashboard.login=true');
    await kubectl('create', 'serviceaccount', 'ann');
    const ann = '--serviceaccount=default:ann';
    await kubectl('create', 'rolebinding', 'ann', '--clusterrole=okra-viewer', ann);
    await kubectl('create', 'rolebinding', 'ann', '-n', 'okra', '--role=okra-forwarder', ann);
    const token = (await kubectl('create', 'token', 'ann')).trim();
    await addVersion('4.0.0');
    await cellIn('Paused');
    await expect(okractlAs(token, 'resume', 'web')).rejects.toThrow(/does not let .*ann resume/);
    await kubectl('create', 'rolebinding', 'ann-operates', '--clusterrole=okra-operator', ann);
    await until('the request to be accepted', () =>
      okractlAs(token, 'resume', 'web').then(
        () => true,
        () => false,
      ),
    );
    await cellIn('Completed');
  });

  it('is uninstalled without a change of what AWS serves, and installed again', async () => {
    explainFailure();
    const since = await proxy.lastCall();
    await helm('uninstall', 'okra', '--namespace', 'okra', '--wait');
    expect(await kubectl('get', 'cell', 'web', '-o', 'jsonpath={.status.phase}')).toBe('Completed');
    await upgrade();
    await cellIn('Completed');
    expect(await writes(since)).toEqual([]);
    expect(await served()).toMatchObject({ 'web-4-0-0': 100 });
  });
});
