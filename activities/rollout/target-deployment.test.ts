import { expect, it } from 'vitest';
import { aCell } from '../../domain/testing/builders.ts';
import { kubernetesWith } from '../../test/examples/route-53/kept-objects.ts';
import { reportTargetDeployment } from './target-deployment.ts';

const key = { namespace: 'default', name: 'web' };

type Asked = Parameters<typeof reportTargetDeployment>;

/** A Cell that serves, and what shows that. */
function served() {
  const { cell, observedForwarding } = aCell().serving({ a: 100 }).seen();
  const { kubernetes, kept } = kubernetesWith({
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'Cell',
    metadata: { ...key, uid: 'uid' },
    spec: { ...cell?.spec },
  });
  const report = (config: Asked[1], forwarding: Asked[2], known?: Asked[3]): Promise<void> =>
    reportTargetDeployment(kubernetes, config, forwarding, known);
  return { report, observedForwarding, kept };
}

it('shows what is served though something else could not be read by those who have written it', async () => {
  const { report, observedForwarding, kept } = served();
  await report({ key, uid: 'uid' }, observedForwarding, Promise.reject(new Error('No Freeze can be read.')));
  expect(kept.object('AWSApplicationLoadBalancerTargetDeployment', key)?.status).toBeDefined();
});

it('belongs to the configuration that there is, and not to one before it that goes', async () => {
  const { report, observedForwarding, kept } = served();
  const owners = (): unknown =>
    kept.object('AWSApplicationLoadBalancerTargetDeployment', key)?.metadata.ownerReferences;
  await report({ key, uid: 'first' }, observedForwarding);
  expect(owners()).toMatchObject([{ uid: 'first' }]);
  await report({ key, uid: 'second' }, observedForwarding);
  expect(owners()).toMatchObject([{ uid: 'second' }]);
});
