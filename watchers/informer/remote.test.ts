import { describe, expect, it } from 'vitest';
import type { Reach, StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import { EKS_TARGET_GROUP_BINDING, type KindRef } from '../../clients/kubernetes/kinds.ts';
import {
  KubernetesError,
  type KubernetesClient,
  type ListOptions,
} from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroupSet } from '../../crds/aws-target-group-set.ts';
import type { BindingTarget } from '../../crds/aws-target-group-binding.ts';
import { API_VERSION } from '../../domain/kubernetes/labels.ts';
import { viewOf } from '../testing/builders.ts';
import { noLog, turn } from '../testing/fakes.ts';
import type { Instruction } from '../instruction.ts';
import { watchRemotely } from './remote.ts';
import type { View } from './store.ts';

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
const binding = {
  apiVersion: API_VERSION,
  kind: 'AWSTargetGroupBinding',
  metadata: { namespace: 'shop', name: 'web' },
  spec: { targetGroupARN: 'arn:web', targets },
} as const;
const view = viewOf({ secrets: [secret], bindings: [binding] });

/** What is listed in a cluster whose secret allows these namespaces. */
const listed = (...namespaces: string[]): Promise<string[]> => listedBy(view, ...namespaces);

/** The same by what is known. */
async function listedBy(known: View, ...namespaces: string[]): Promise<string[]> {
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
  watchRemotely({
    clusters,
    view: known,
    dispatch,
    log: noLog,
    signal: stop.signal,
  }).refresh();
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
      kind: 'AWSTargetGroupBinding',
      key: { namespace: 'shop', name: 'web' },
    };
    expect(await told('a', 'b', 'c')).toEqual([start, start]);
  });

  it('touches only the namespaces that its secret allows', async () => {
    expect(await listed('shop')).toEqual(['Pod shop']);
    expect(await listed()).toEqual(['Pod shop', 'Pod other']);
  });

  it('continues where the sets of another namespace are of a form that nobody knows here', async () => {
    const strange = {
      apiVersion: API_VERSION,
      kind: 'AWSTargetGroupSet',
      metadata: { namespace: 'other', name: 'newer' },
      spec: { generators: [{ gke: {} }] },
    };
    const others = { ...secret, metadata: { ...secret.metadata, namespace: 'other', uid: 'v' } };
    const all = viewOf({
      secrets: [others, secret],
      bindings: [binding],
      targetGroupSets: [strange as unknown as AWSTargetGroupSet],
    });
    expect(await listedBy(all, 'shop')).toEqual(['Pod shop']);
  });

  it('lists a cluster with too many objects again only after minutes, and says so', async () => {
    const warned: unknown[] = [];
    const child = () => ({ ...noLog, warn: (what: unknown) => void warned.push(what) });
    const log = { ...noLog, child } as unknown as typeof noLog;
    const stop = new AbortController();
    const waits: number[] = [];
    const tooLarge = new KubernetesError({ status: 0, reason: 'ListTooLarge', message: 'Too many.' });
    const client = { snapshot: () => Promise.reject(tooLarge) };
    const reach = { is: 'Client', name: 'cdk1', namespaces: ['shop'], client: client as never } as const;
    const watching = watchRemotely({
      clusters: { reach: () => reach, keep: () => undefined },
      view,
      dispatch: () => expect.unreachable(),
      log,
      signal: stop.signal,
      timing: {
        sleep: async (milliseconds) => {
          waits.push(milliseconds);
          stop.abort();
          await turn();
        },
      },
    });
    watching.refresh();
    await watching.ended();
    expect(waits[0]).toBe(300_000);
    expect(warned).toEqual([expect.objectContaining({ reason: 'ListTooLarge' })]);
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
      kind: 'AWSTargetGroupSet',
      key: { namespace: 'shop', name: 'cart' },
    });
  });
});
