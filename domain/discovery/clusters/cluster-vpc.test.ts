import { describe, expect, it } from 'vitest';
import type { BindingTarget } from '../../../crds/aws-target-group-binding.ts';
import { vpcOfClusters } from './cluster-vpc.ts';
import type { KnownCluster } from './known-cluster.ts';

const cluster = (name: string, vpcID?: string): KnownCluster => ({
  secret: name,
  name,
  labels: { role: 'web' },
  ...(vpcID === undefined ? {} : { vpcID }),
});
const inCluster = (clusterName: string): BindingTarget => ({
  name: clusterName,
  clusterName,
  nodeName: 'n',
  port: 80,
});
const inAll: BindingTarget = {
  name: 'all',
  clusterSelector: { matchLabels: { role: 'web' } },
  nodeSelector: {},
  port: 80,
};
const ids: BindingTarget = { name: 'ids', ids: ['10.0.0.9'], port: 80 };

function said(targets: readonly BindingTarget[], ...clusters: readonly KnownCluster[]): string {
  const found = vpcOfClusters(targets, clusters);
  return found.is === 'VPC' ? found.vpcID : `${found.problem.reason}: ${found.problem.message}`;
}

describe('the VPC of a target group that nobody names', () => {
  it.each<[string, readonly BindingTarget[], readonly KnownCluster[], string]>([
    ['is that of its cluster', [inCluster('a')], [cluster('a', 'vpc-1')], 'vpc-1'],
    ['is that of all its clusters', [inAll], [cluster('a', 'vpc-1'), cluster('b', 'vpc-1')], 'vpc-1'],
    [
      'is not that of another cluster',
      [inCluster('a')],
      [cluster('a', 'vpc-1'), cluster('b', 'vpc-2')],
      'vpc-1',
    ],
    ['is that of the clusters that say it', [inAll], [cluster('a'), cluster('b', 'vpc-2')], 'vpc-2'],
    ['is that of a cluster beside ids', [ids, inCluster('a')], [cluster('a', 'vpc-1')], 'vpc-1'],
  ])('%s', (_, targets, clusters, want) => expect(said(targets, ...clusters)).toBe(want));

  it.each<[string, readonly BindingTarget[], readonly KnownCluster[], string]>([
    [
      'no cluster says it',
      [inAll],
      [cluster('b'), cluster('a')],
      'VPCUnknown: Cannot find the VPC of the target group: the secrets of a, b name no VPC. Set spec.targetGroup.vpcID, or let a ClusterSet create the secret of the cluster with the annotation okra.mumo.co/cluster-vpc-id.',
    ],
    [
      'there is no cluster',
      [ids, inCluster('a')],
      [cluster('b', 'vpc-1')],
      'VPCUnknown: Cannot find the VPC of the target group: no cluster of spec.targets has a secret.',
    ],
    [
      'the clusters are in several',
      [inAll],
      [cluster('c', 'vpc-2'), cluster('b', 'vpc-1'), cluster('a', 'vpc-1')],
      'DifferentVPCs: The clusters of spec.targets are in different VPCs: vpc-1 (a, b), vpc-2 (c). Set spec.targetGroup.vpcID, or make an AWSTargetGroupBinding for the clusters of each VPC.',
    ],
  ])('is a problem when %s', (_, targets, clusters, want) =>
    expect(said(targets, ...clusters)).toContain(want),
  );

  it('is a problem whose message has room for what to do, however many clusters there are', () => {
    const many = Array.from({ length: 1000 }, (_, index) =>
      cluster(`${index}-${'x'.repeat(200)}`, `vpc-${'0'.repeat(14)}${String(index % 500).padStart(3, '0')}`),
    );
    const message = said([inAll], ...many);
    expect(message.length).toBeLessThan(1024);
    expect(message).toMatch(/ and 497 more\. Set spec\.targetGroup\.vpcID, .* of each VPC\.$/);
  });
});
