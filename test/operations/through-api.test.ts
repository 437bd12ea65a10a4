import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { runDashboard } from '../../cli/dashboard/in-cluster.ts';
import { okractl as programOver } from '../../cli/okractl/program.ts';
import { sessions } from '../../cli/okractl/session.ts';
import { withoutTerminal } from '../../cli/okractl/shell.ts';
import { NODE, POD } from '../../clients/kubernetes/kinds.ts';
import { connectAsPerson } from '../../clients/kubernetes/person.ts';
import { createLog } from '../../clients/log.ts';
import { loadConfig } from '../../config/config.ts';
import type { CellStatus } from '../../crds/cell.ts';
import { peopleRoles } from '../../local/generate/roles.ts';
import { callKubernetes } from '../../local/kubernetes.ts';
import { reservePorts } from '../../local/ports.ts';
import { runHere, type Ended } from '../support/command-here.ts';
import { onStage } from '../support/stage/on-stage.ts';
import { peopleOn } from '../support/stage/people.ts';
import type { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

const RBAC = 'rbac.authorization.k8s.io';
const PORT = 8090;

/**
 * The API server carries the port-forward to the kubelet of the node. That of this one is a kwok, which has it done by the
 * code of a kubelet, and connects to where the dashboard listens on this machine.
 */
describe('okractl that reaches the API server alone', () => {
  let stage: Stage;
  let priority = 0;
  onStage({ totals: [20, 40], prepare }, (opened, free) => {
    stage = opened;
    priority = free;
  });
  const { open, close } = sessions();
  const stop = new AbortController();
  const ports = reservePorts();
  let dir = '';
  let node = '';
  let dashboard: Promise<void> | undefined;
  let kubelet: ChildProcess | undefined;

  async function prepare(opened: Stage): Promise<void> {
    stage = opened;
    vi.stubEnv('TEMPORAL_ADDRESS', '');
    dir = await mkdtemp(join(tmpdir(), 'okra-through-api-'));
    const [page, kubeletPort] = [await ports.reserve(), await ports.reserve()];
    await startDashboard(page);
    node = `node-of-${stage.namespace}`;
    await startKubelet(kubeletPort, page);
    await writePod(kubeletPort);
  }
  afterAll(async () => {
    vi.unstubAllEnvs();
    stop.abort();
    await stage.kubernetes.delete(POD, { namespace: stage.namespace, name: 'okra-dashboard' });
    await stage.kubernetes.delete(NODE, { name: node });
    if (kubelet?.exitCode === null && kubelet.kill()) await once(kubelet, 'exit');
    await Promise.all([close(), dashboard, ports.release(), rm(dir, { recursive: true })]);
  });

  async function startDashboard(port: number): Promise<void> {
    const { stack, namespace } = stage;
    const config = loadConfig({
      ...stack.environment,
      OKRA_WATCH_NAMESPACE: namespace,
      OKRA_TASK_QUEUE: namespace,
      OKRA_DASHBOARD_PORT: String(port),
      OKRA_DASHBOARD_LOGIN: 'true',
    });
    const { promise: serves, resolve } = Promise.withResolvers<unknown>();
    const { signal } = stop;
    const log = createLog('silent');
    dashboard = runDashboard({ config, log, version: '0.0.0', signal, waiting: resolve });
    await Promise.race([serves, dashboard]);
  }

  /** Starts what plays the kubelet of a node; it manages no nodes itself. */
  async function startKubelet(port: number, page: number): Promise<void> {
    const { stack, namespace } = stage;
    const forward = {
      apiVersion: 'kwok.x-k8s.io/v1alpha1',
      kind: 'PortForward',
      metadata: { name: 'okra-dashboard', namespace },
      spec: { forwards: [{ ports: [PORT], target: { address: '127.0.0.1', port: page } }] },
    };
    await writeFile(join(dir, 'kwok.yaml'), stringify(forward));
    // The API server asks for no certificate that it knows; its own is at hand.
    const certificate = stack.kubernetes.caFile;
    kubelet = spawn(
      stack.binaries['kwok'] ?? 'kwok',
      [
        `--kubeconfig=${stack.kubeconfig}`,
        '--manage-nodes-with-label-selector=okra.mumo.co/none=true',
        `--server-address=127.0.0.1:${port}`,
        `--tls-cert-file=${certificate}`,
        `--tls-private-key-file=${certificate.replace(/\.crt$/, '.key')}`,
        `--config=${join(dir, 'kwok.yaml')}`,
      ],
      { stdio: 'ignore' },
    );
    await until('the kubelet to answer', () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  }

  /** Writes the node, and a pod as the chart has it, which the kwok of the stack says is ready. */
  async function writePod(kubeletPort: number): Promise<void> {
    const { kubernetes, namespace } = stage;
    await kubernetes.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: node } });
    const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
    const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } } };
    await kubernetes.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        namespace,
        name: 'okra-dashboard',
        labels: { 'app.kubernetes.io/name': 'okra', 'app.kubernetes.io/component': 'dashboard' },
      },
      spec: {
        nodeName: node,
        containers: [{ name: 'okrad', image: 'okra', ports: [{ name: 'page', containerPort: PORT }] }],
      },
    });
    interface Conditioned {
      readonly status?: {
        readonly conditions?: readonly { readonly type: string; readonly status: string }[];
      };
    }
    const isReady = ({ status: { conditions = [] } = {} }: Conditioned): boolean =>
      conditions.some((one) => one.type === 'Ready' && one.status === 'True');
    await until('the node and the pod to be ready', async () => {
      const [known, pod] = await Promise.all([
        kubernetes.get<Conditioned>(NODE, { name: node }),
        kubernetes.get<Conditioned>(POD, { namespace, name: 'okra-dashboard' }),
      ]);
      return known !== undefined && pod !== undefined && isReady(known) && isReady(pod);
    });
    // The kwok of the stack has said otherwise when it made the node ready.
    await kubernetes.patch(NODE, { name: node }, { status }, { subresource: 'status' });
  }

  /** Makes a service account with verbs on Cells and further rules, and a kubeconfig with its own token. */
  async function person(name: string, verbs: readonly string[], more: readonly object[]): Promise<string> {
    const { namespace, stack } = stage;
    const rules = [{ apiGroups: ['okra.mumo.co'], resources: ['cells'], verbs }, ...more];
    await stage.apply({
      apiVersion: 'v1',
      kind: 'List',
      items: [
        { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } },
        { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: { name }, rules },
        {
          apiVersion: `${RBAC}/v1`,
          kind: 'RoleBinding',
          metadata: { name },
          roleRef: { apiGroup: RBAC, kind: 'Role', name },
          subjects: [{ kind: 'ServiceAccount', name, namespace }],
        },
      ],
    });
    const answer = await callKubernetes(stack.kubernetes, {
      method: 'POST',
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
    });
    const { token } = (JSON.parse(answer) as { status: { token: string } }).status;
    stage.secrets.push(token);
    const cluster = { server: stack.kubernetes.url, 'certificate-authority': stack.kubernetes.caFile };
    const kubeconfig = join(dir, `${name}.yaml`);
    const config = {
      clusters: [{ name, cluster }],
      users: [{ name, user: { token } }],
      contexts: [{ name, context: { cluster: name, user: name, namespace } }],
      'current-context': name,
    };
    await writeFile(kubeconfig, stringify(config), { mode: 0o600 });
    return kubeconfig;
  }

  const okractl = (kubeconfig: string, ...words: readonly string[]): Promise<Ended> =>
    runHere(
      (shell) => programOver({ ...shell, ...withoutTerminal, session: open }, '0.0.0'),
      [...words, '-n', stage.namespace, '--kubeconfig', kubeconfig, '--okra-namespace', stage.namespace],
    );
  const pausedAt = (weight: number): Promise<CellStatus> =>
    stage.untilStatus(
      'web',
      `paused at ${weight}`,
      ({ phase, canaryWeight }) => phase === 'Paused' && canaryWeight === weight,
    );

  it('carries out what Kubernetes lets people do, in their name', async () => {
    const { namespace } = stage;
    const { rules } = peopleRoles.forwarder;
    const read = ['get', 'list', 'watch'];
    const [ann, bob, cleo, dan] = await Promise.all([
      person('ann', [...read, 'resume', 'abort', 'retry'], rules),
      person('bob', read, rules),
      person('cleo', [...read, 'resume'], []),
      person('dan', [...read, 'resume'], rules.slice(0, 1)),
    ]);
    const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];
    await stage.targetGroups('1.0.0', ['a']);
    const updateStrategy = { type: 'Canary', canary: { steps }, detachAfter: '0s' };
    await stage.apply(stage.cell('web', { priority, spec: { updateStrategy } }));
    await stage.untilPhase('web', 'Completed', '1.0.0');
    await stage.targetGroups('2.0.0', ['b']);
    await pausedAt(20);

    const checked = await okractl(ann, 'check');
    expect(checked.out).toContain(
      `ok      requests: through the API server, pod ${namespace}/okra-dashboard\n`,
    );
    expect(checked.out).toContain(`ok      workers poll ${namespace} and its related task queues`);
    expect(checked.out).not.toContain('pods');
    const unchecked = await okractl(cleo, 'check');
    expect(unchecked.out).toMatch(/PROBLEM you may not get, create pods\/portforward in namespace/);

    expect(await okractl(bob, 'resume', 'web')).toMatchObject({
      code: 3,
      err: expect.stringContaining(
        `Kubernetes does not let system:serviceaccount:${namespace}:bob resume`,
      ) as unknown,
    });
    expect(await okractl(cleo, 'resume', 'web')).toMatchObject({
      code: 3,
      err: expect.stringMatching(
        /cannot list resource "pods".* Have the Role okra-forwarder bound/,
      ) as unknown,
    });
    expect(await okractl(dan, 'resume', 'web')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/response: 403\. Have the Role okra-forwarder bound/) as unknown,
    });
    const [other] = await peopleOn(stage, dir, [{ name: 'other', verbs: [...read, 'resume'] }]);
    expect(await okractl(other?.kubeconfig ?? '', 'resume', 'web')).toMatchObject({
      code: 1,
      err: expect.stringContaining('the kubeconfig logs in without a token of yours') as unknown,
    });

    expect(await okractl(ann, 'resume', 'web', '--reason', 'looks fine')).toEqual({
      code: 0,
      out: 'The rollout of 2.0.0 continues.\n',
      err: '',
    });
    await pausedAt(40);
    expect(await okractl(ann, 'abort', 'web', '--reason', 'errors')).toMatchObject({ code: 0, err: '' });
    await stage.untilPhase('web', 'Reverted', '1.0.0');
    await stage.untilClosed(stage.workflowId('web'));
    expect(await okractl(ann, 'abort', 'web')).toMatchObject({ code: 3 });
    // The run is closed: the dashboard starts the next one.
    expect(await okractl(ann, 'retry', 'web')).toEqual({ code: 0, out: 'Retrying 2.0.0.\n', err: '' });
    await pausedAt(20);
    expect(await okractl(ann, 'abort', 'web')).toMatchObject({ code: 0 });
    await stage.untilPhase('web', 'Reverted', '1.0.0');
    const { out } = await okractl(ann, 'history', 'web');
    expect(out).toContain(`resume by system:serviceaccount:${namespace}:ann: looks fine`);
    await stage.untilClosed(stage.workflowId('web'));
  });

  it('hears from the kubelet when nothing is reached at a port', async () => {
    const kubeconfig = await person('erin', ['get'], peopleRoles.forwarder.rules);
    const { forward } = connectAsPerson({ kubeconfig });
    const stream = await forward({ namespace: stage.namespace, name: 'okra-dashboard', port: 9 });
    const error = await until('the answer of the kubelet', async () => stream.errored ?? undefined);
    expect(error.message).toContain('forward not found for port 9');
  });
});
