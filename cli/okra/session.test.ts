import { expect, it } from 'vitest';
import { openSession } from './session.ts';

const kubeconfig = '/nowhere/kubeconfig';

it('needs a kubeconfig only for what has to do with Kubernetes', async () => {
  expect(() => openSession({ kubeconfig })).toThrow('cannot read kubeconfig /nowhere/kubeconfig');
  const { kubernetes, namespace } = openSession({ kubeconfig, namespace: 'web' }, { kubernetes: false });
  const kind = { apiVersion: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true };
  expect([namespace, await kubernetes.list(kind)]).toEqual(['web', []]);
});

it('takes the region and the address of AWS from the command line', () => {
  const { config } = openSession(
    { region: 'eu-west-1', address: 'http://127.0.0.1:5000' },
    { kubernetes: false },
  );
  expect(config.aws).toMatchObject({
    region: 'eu-west-1',
    elbv2Endpoint: 'http://127.0.0.1:5000',
    eksEndpoint: 'http://127.0.0.1:5000',
  });
});
