import { describe, expect, it } from 'vitest';
import type { Reach, StoredClusterSecret } from '../clients/remote-clusters.ts';
import { EKS_TARGET_GROUP_BINDING, type KindRef } from '../clients/kinds.ts';
import { KubernetesError, type KubernetesClient, type ListOptions } from '../clients/kubernetes.ts';
import type { BindingTarget } from '../crds/binding-targets.ts';
import { API_VERSION } from '../domain/labels.ts';
import { viewOf } from './builders.ts';
import { noLog, turn } from './fakes.ts';
import type { Instruction } from './instruction.ts';
import { watchRemotely } from './remote.ts';

const secret: StoredClusterSecret = {
  metadata: { namespace: 'shop', name: 'cdk1', uid: 'u', resourceVersion: '1' },
  data: { name: Buffer.from('cdk1').toString('base64') },
};
const pods = (podNamespace: string): BindingTarget => ({
  name: podNamespace,
  clusterName: 'cdk1',
  podSelector: { matchLabels: { app: 'web' } },
  podNamespace,
  port: 80,
});

const targets = [pods('shop'), pods('other')];
const view = viewOf({
  secrets: [secret],
  bindings: [
    {
      apiVersion: API_VERSION,
      kind: 'AWSTargetGroupBinding',
      metadata: { namespace: 'shop', name: 'web' },
      spec: { targetGroupARN: 'arn:web', targets },
    },
  ],
});

/** What is listed in a cluster whose secret allows these namespaces. */
async function listed(...namespaces: string[]): Promise<string[]> {
  const asked: string[] = [];
  const never = new Promise<never>(() => undefined);
  const client: Pick<KubernetesClient, 'snapshot'> = {
    snapshot: async (kind: KindRef, { namespace = 'all' }: ListOptions = {}) => {
      asked.push(`${kind.kind} ${namespace}`);
      return await never;
    },
  };
  const reach: Reach = { is: 'Client', name: 'cdk1', namespaces, client: client as KubernetesClient };
  const stop = new AbortController();
  const clusters = { reach: () => reach, keep: () => undefined };
  const dispatch = (): void => undefined;
  watchRemotely({ clusters, view, dispatch, log: noLog, signal: stop.signal }).refresh();
  await turn();
  stop.abort();
  return asked;
}

/** What is told of a cluster that has these pods, and then one more. */
async function told(...names: string[]): Promise<Instruction[]> {
  const instructions: Instruction[] = [];
  const pod = (name: string, resourceVersion: string) => ({
    metadata: { name, namespace: 'shop', resourceVersion, labels: { app: 'web' } },
  });
  const stop = new AbortController();
  const client = {
    snapshot: () => Promise.resolve({ items: names.map((name) => pod(name, '1')), resourceVersion: '1' }),
    async *watch() {
      yield { type: 'ADDED', object: pod('late', '2') };
      stop.abort();
    },
  };
  const reach = { is: 'Client', name: 'cdk1', namespaces: ['shop'], client: client as never } as const;
  const watching = watchRemotely({
    clusters: { reach: () => reach, keep: () => undefined },
    view,
    dispatch: (instruction) => instructions.push(instruction),
    log: noLog,
    signal: stop.signal,
  });
  watching.refresh();
  await watching.ended();
  return instructions;
}

describe('watching a cluster', () => {
  it('tells at once of all that there is, and then of each change', async () => {
    const start = {
      do: 'Start',
      workflow: 'targetGroupBinding',
      key: { namespace: 'shop', name: 'web' },
    };
    expect(await told('a', 'b', 'c')).toEqual([start, start]);
  });

  it('touches only the namespaces that its secret allows', async () => {
    expect(await listed('shop')).toEqual(['Pod shop']);
    expect(await listed()).toEqual(['Pod shop', 'Pod other']);
  });

  it('asks again for a kind of TargetGroupBinding that is not there, and tells when it is', async () => {
    const set = {
      apiVersion: API_VERSION,
      kind: 'AWSTargetGroupSet',
      metadata: { namespace: 'shop', name: 'cart' },
      spec: { generators: [{ awseks: { clusterSelector: { matchLabels: { role: 'web' } } } }] },
    };
    const { metadata } = secret;
    const web = { ...secret, metadata: { ...metadata, labels: { role: 'web' } } };
    const stop = new AbortController();
    const instructions: Instruction[] = [];
    const asked: string[] = [];
    const absent = new KubernetesError({ status: 404, reason: 'NotFound', message: 'no' });
    const client = {
      snapshot: ({ apiVersion }: KindRef) => {
        asked.push(apiVersion);
        const isInstalled = asked.filter((one) => one === apiVersion).length > 2;
        if (apiVersion !== EKS_TARGET_GROUP_BINDING.apiVersion || !isInstalled) return Promise.reject(absent);
        instructions.length = 0;
        return Promise.resolve({ items: [], resourceVersion: '1' });
      },
      // eslint-disable-next-line require-yield
      async *watch() {
        stop.abort();
      },
    };
    const reach = { is: 'Client', name: 'cdk1', namespaces: [], client: client as never } as const;
    const watching = watchRemotely({
      clusters: { reach: () => reach, keep: () => undefined },
      view: viewOf({ secrets: [web], targetGroupSets: [set] }),
      dispatch: (instruction) => instructions.push(instruction),
      log: noLog,
      signal: stop.signal,
      timing: { sleep: turn },
    });
    watching.refresh();
    await watching.ended();
    expect(new Set(asked)).toEqual(new Set(['elbv2.k8s.aws/v1beta1', 'eks.amazonaws.com/v1']));
    expect(instructions).toContainEqual({
      do: 'Start',
      workflow: 'targetGroupSet',
      key: { namespace: 'shop', name: 'cart' },
    });
  });
});
