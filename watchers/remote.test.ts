import { describe, expect, it } from 'vitest';
import type { Reach, StoredClusterSecret } from '../clients/remote-clusters.ts';
import type { KubernetesClient, ListOptions } from '../clients/kubernetes.ts';
import type { KindRef } from '../clients/kinds.ts';
import type { BindingTarget } from '../crds/binding-targets.ts';
import { API_VERSION } from '../domain/labels.ts';
import { viewOf } from './builders.ts';
import { noLog, turn } from './fakes.ts';
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
  const targets = [pods('shop'), pods('other')];
  const spec = { targetGroupARN: 'arn:web', targets };
  const metadata = { namespace: 'shop', name: 'web' };
  const view = viewOf({
    secrets: [secret],
    bindings: [{ apiVersion: API_VERSION, kind: 'AWSTargetGroupBinding', metadata, spec }],
  });
  const stop = new AbortController();
  const clusters = { reach: () => reach, keep: () => undefined };
  const dispatch = (): void => undefined;
  watchRemotely({ clusters, view, dispatch, log: noLog, signal: stop.signal }).refresh();
  await turn();
  stop.abort();
  return asked;
}

describe('watching a cluster', () => {
  it('touches only the namespaces that its secret allows', async () => {
    expect(await listed('shop')).toEqual(['Pod shop']);
    expect(await listed()).toEqual(['Pod shop', 'Pod other']);
  });
});
