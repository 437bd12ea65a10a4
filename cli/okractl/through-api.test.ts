import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import type { Access } from '../../clients/kubernetes/person.ts';
import { serveDashboard } from '../dashboard/http.ts';
import { aWorld, type WorldOptions } from '../dashboard/testing/world.ts';
import { memoryCluster } from '../testing/memory-cluster.ts';
import { send, type Asker, type Sending } from './send.ts';
import { endingOf } from './shell.ts';
import { aCell, paused } from './testing/objects.ts';
import { throughApi } from './through-api.ts';

const TOKEN = 'ann-token';
const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((close) => close()));
});

interface PodOptions {
  readonly name?: string;
  readonly container?: string;
  readonly isReady?: boolean;
}

const aPod = ({ name = 'okra-dashboard-1', container = 'okrad', isReady = true }: PodOptions = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'okra', name, labels: { 'app.kubernetes.io/component': 'dashboard' } },
  spec: { containers: [{ name: container, ports: [{ name: 'page', containerPort: 8090 }] }] },
  status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
});

interface Options extends WorldOptions {
  readonly pods?: readonly ReturnType<typeof aPod>[];
  /** Whether the dashboard has no login. */
  readonly isReadOnly?: true;
  readonly token?: string | undefined;
  /** Where the person looks at Cells. */
  readonly namespace?: string;
  readonly forward?: () => Promise<Duplex>;
}

/** Serves a dashboard with a login, as in the cluster, and makes the way to it of a person whose port-forward is a connection. */
async function aWay({
  pods = [aPod()],
  isReadOnly,
  forward,
  token = TOKEN,
  namespace = 'default',
  ...options
}: Options = {}) {
  const world = aWorld({ objects: [aCell(paused)], ...options });
  const person = (shown: string) =>
    shown === TOKEN
      ? Promise.resolve({ session: world.session, by: 'ann' })
      : Promise.reject(new KubernetesError({ status: 401, reason: 'Unauthorized', message: 'Unauthorized' }));
  const { port, close } = await serveDashboard({
    host: '127.0.0.1',
    port: 0,
    hosts: [],
    version: '1.2.3',
    now: Date.now,
    viewers: {
      of: () => undefined,
      logOut: () => undefined,
      ...(isReadOnly === undefined ? { person } : {}),
    },
    failed: () => undefined,
  });
  opened.push(close);
  const reached: unknown[] = [];
  const way = throughApi(
    {
      kubernetes: memoryCluster(pods).kubernetes,
      namespace,
      bearerToken: () => Promise.resolve(token === '' ? undefined : token),
      forward: (pod) => {
        reached.push(pod);
        return forward?.() ?? Promise.resolve(connect(port, '127.0.0.1'));
      },
    },
    'okra',
  );
  return { way, reached, sent: world.sent };
}

const pause: Sending = {
  target: { kind: 'Cell', key: { namespace: 'default', name: 'web' } },
  name: 'pause',
  reason: 'errors in checkout',
  seen: {},
};

/** Sends a request as okractl does, and answers with all that came of it. */
async function sendBy(options: Options, sending: Partial<Sending> = {}) {
  const { way, sent } = await aWay(options);
  const said: string[] = [];
  let code = 0;
  const shell = {
    print: (text: string) => void said.push(text),
    warn: (text: string) => void said.push(`warning: ${text}`),
    exitWith: (next: number) => {
      code = next;
    },
  };
  const session = { throughApi: way } as unknown as Asker;
  await send(shell, session, { ...pause, ...sending }).catch((error: unknown) => {
    const ending = endingOf(error);
    ({ code } = ending);
    said.push(ending.message);
  });
  return { sent, code, said: said.join(' ') };
}

describe('a request without the address of Temporal', () => {
  it('goes to the dashboard in the cluster with the own token, and says what the workflow answers', async () => {
    const { sent, code, said } = await sendBy({});
    expect([code, said]).toEqual([0, 'The rollout of 2.0.0 is paused.']);
    expect(sent).toEqual([
      { workflowId: 'cell/default/web', name: 'pause', by: 'ann', reason: 'errors in checkout' },
    ]);
  });

  it('takes along what was seen, the groups of who approves, and the stage to go back to', async () => {
    const seen = { version: '2.0.0', step: 2 };
    expect((await sendBy({}, { name: 'approve', seen })).sent).toMatchObject([
      { name: 'approve', by: 'ann', groups: ['release'], ...seen },
    ]);
    const target = { kind: 'StagedBindingPolicy', key: { namespace: '', name: 'nginx' } } as const;
    const staged = await sendBy({}, { target, name: 'abort', to: 'dev', seen: { stage: 'prod' } });
    expect(staged.sent).toMatchObject([
      { workflowId: 'staged-binding-policy/nginx', name: 'abort', to: 'dev', stage: 'prod' },
    ]);
  });

  it.each<[string, Options, number, string]>([
    ['is refused by the workflow', { answer: { is: 'Refused', message: 'No.' } }, 3, 'No.'],
    ['is not allowed by Kubernetes', { allowed: () => false }, 3, 'Kubernetes does not let ann pause'],
    [
      'is answered by no worker',
      { answer: { is: 'Unanswered', message: 'no answer in time' } },
      1,
      'warning: No worker answered the pause request',
    ],
    ['shows a token that is not valid', { token: 'other' }, 1, 'okra/okra-dashboard-1: 401 Token not valid'],
    ['finds a dashboard without a login', { isReadOnly: true }, 1, 'Set dashboard.login of the chart'],
    ['has no token', { token: '' }, 1, 'the kubeconfig logs in without a token of yours'],
    ['finds no dashboard', { pods: [] }, 1, '--set dashboard.enabled=true,dashboard.login=true'],
    ['finds one of others', { pods: [aPod({ container: 'app' })] }, 1, 'no dashboard runs in namespace okra'],
    ['finds one that is not ready', { pods: [aPod({ isReady: false })] }, 1, 'okra-dashboard-1 of the'],
    [
      'may not connect to pods',
      { forward: () => Promise.reject(new Error('Unexpected server response: 403')) },
      1,
      'Have the Role okra-forwarder bound to you in namespace okra, or set TEMPORAL_ADDRESS.',
    ],
    [
      'gets no connection',
      { forward: () => Promise.reject(new Error('Unexpected server response: 502')) },
      1,
      'See whether kubectl -n okra port-forward pod/okra-dashboard-1 8090 works',
    ],
  ])('that %s, says so', async (_, options, code, message) => {
    const outcome = await sendBy(options);
    expect(outcome.said).toContain(message);
    expect(outcome.code).toBe(code);
  });

  it('that loses its connection may have been accepted', async () => {
    const forward = async (): Promise<Duplex> => {
      const lost = connect(1, '127.0.0.1');
      lost.on('error', () => undefined);
      return lost;
    };
    const { code, said } = await sendBy({ forward });
    expect([code, said]).toEqual([1, expect.stringContaining('may or may not have been accepted')]);
  });

  it.each([
    ['default', 200],
    ['shop', 403],
  ])('tells of Temporal who may list Cells where they look: in %s', async (namespace, status) => {
    const allowed = (access: Access) => access.verb === 'list' && access.namespace === 'default';
    const { way } = await aWay({ allowed, namespace });
    expect(await way.call()).toMatchObject({ status, fields: status === 200 ? { version: '1.2.3' } : {} });
  });

  it('goes to the first pod that is ready', async () => {
    const { way, reached } = await aWay({ pods: [aPod({ isReady: false }), aPod({ name: 'b' })] });
    expect(await way.call()).toMatchObject({
      status: 200,
      pod: 'okra/b',
      fields: { missingAttributes: [], unpolled: [], taskQueue: 'okra', namespace: 'default' },
    });
    expect(reached).toMatchObject([{ namespace: 'okra', name: 'b', port: 8090 }]);
  });
});
