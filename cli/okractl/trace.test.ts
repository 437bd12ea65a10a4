import { describe, expect, it } from 'vitest';
import { aCell, aTargetGroup, arnOf } from './testing/objects.ts';
import { runOkractl, type FakeObject } from './testing/shell.ts';

const owner = (kind: string, name: string) => [{ apiVersion: 'okra.mumo.co/v1alpha1', kind, name, uid: 'u' }];
const group = aTargetGroup('web-a', '2.0.0');
const made = {
  ...group,
  metadata: {
    ...group.metadata,
    annotations: { 'okra.mumo.co/target-group-binding': 'cdk1/default/web1' },
    ownerReferences: owner('AWSTargetGroupSet', 'web'),
  },
};
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: 'cdk1',
    namespace: 'default',
    annotations: { 'okra.mumo.co/cluster-id': 'arn:aws:eks:ap-northeast-1:111122223333:cluster/cdk1' },
    ownerReferences: owner('ClusterSet', 'cart'),
  },
  data: { config: 'a-secret-token' },
} as FakeObject;
const serving = aCell({
  phase: 'Paused',
  targetGroups: [{ name: 'web-a', arn: arnOf('web-a'), role: 'Canary', weight: 20 }],
});

describe('trace', () => {
  it('goes from the target group to the cluster and its set, and to the Cell, and shows no secret', async () => {
    const { out } = await runOkractl(['trace', 'awstargetgroup/web-a'], { objects: [made, secret, serving] });
    expect(out).toBe(`AWSTargetGroup default/web-a: version 2.0.0
├─ target group ${arnOf('web-a')}
├─ created from TargetGroupBinding default/web1 in a cluster
│  └─ cluster secret default/cdk1
│     ├─ cluster arn:aws:eks:ap-northeast-1:111122223333:cluster/cdk1
│     └─ created by ClusterSet default/cart
├─ created by AWSTargetGroupSet default/web
└─ selected by Cell default/web (Paused): Canary, weight 20
`);
  });

  it('says what is missing on the way', async () => {
    const { out } = await runOkractl(['trace', 'web-a'], { objects: [made] });
    expect(out).toContain('cluster secret default/cdk1 not found: unknown cluster');
    expect(out).toContain('selected by no Cell');
  });

  it('finds a target group by its ARN, and says that it was made by hand', async () => {
    const { out } = await runOkractl(['trace', arnOf('web-a')], { objects: [group, serving] });
    expect(out).toContain('created by hand, not from a cluster');
  });

  it('finds it beside an AWSTargetGroup that names no ARN', async () => {
    const { spec: _none, ...odd } = aTargetGroup('odd', '1.0.0');
    const { out } = await runOkractl(['trace', arnOf('web-a')], { objects: [odd, group] });
    expect(out).toContain('AWSTargetGroup default/web-a');
  });

  it('names the AWSTargetGroupBinding that registers the targets', async () => {
    const binding = {
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'AWSTargetGroupBinding',
      metadata: { name: 'web', namespace: 'default' },
      spec: { targetGroupARN: arnOf('web-a') },
      status: { targets: [{ name: 'n', port: 80, ids: ['i-1', 'i-2'], clusters: ['cdk1', 'cdk2'] }] },
    } as FakeObject;
    const { out } = await runOkractl(['trace', 'web-a'], { objects: [group, binding] });
    expect(out).toContain('AWSTargetGroupBinding default/web has registered 2 targets, from cdk1, cdk2');
  });

  it.each([
    ['web-x', 1],
    ['arn:aws:elasticloadbalancing:x', 1],
    ['cell/web', 2],
  ])('says what is wrong with %s', async (text, code) => {
    expect((await runOkractl(['trace', text], { objects: [group] })).code).toBe(code);
  });
});
