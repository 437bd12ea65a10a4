import type { BindingTarget } from '../../../crds/aws-target-group-binding.ts';
import { compareText } from '../../kubernetes/canonical.ts';
import { CLUSTER_VPC_ANNOTATION } from '../../kubernetes/labels.ts';
import type { KnownCluster } from './known-cluster.ts';
import { targetLooksInto } from '../target-group-set/looks-into.ts';
import type { Problem } from '../sync-status.ts';

/** The VPC of the clusters that targets are in, or why there is none. */
export type FoundVPC =
  { readonly is: 'VPC'; readonly vpcID: string } | { readonly is: 'Problem'; readonly problem: Problem };

/** Says in which VPC the clusters are that targets may be in; those that do not say it are left out of account. */
export function vpcOfClusters(
  targets: readonly BindingTarget[],
  clusters: readonly KnownCluster[],
): FoundVPC {
  const looked = clusters
    .filter((cluster) => targets.some((target) => targetLooksInto(target, cluster)))
    .toSorted((a, b) => compareText(a.name, b.name));
  const known = looked.flatMap(({ name, vpcID }) => (vpcID === undefined ? [] : [{ name, vpcID }]));
  const byVPC = [...Map.groupBy(known, ({ vpcID }) => vpcID)].toSorted(([a], [b]) => compareText(a, b));
  const [first, ...others] = byVPC;
  if (first === undefined) return unknown(looked);
  if (others.length === 0) return { is: 'VPC', vpcID: first[0] };
  const places = byVPC.map(([vpcID, some]) => `${vpcID} (${namesOf(some)})`);
  return problem(
    'DifferentVPCs',
    `The clusters of spec.targets are in different VPCs: ${listOf(places)}. Set spec.targetGroup.vpcID, or make an AWSTargetGroupBinding for the clusters of each VPC.`,
  );
}

function unknown(looked: readonly KnownCluster[]): FoundVPC {
  const got =
    looked.length === 0
      ? 'no cluster of spec.targets has a secret'
      : `the secrets of ${namesOf(looked)} name no VPC`;
  return problem(
    'VPCUnknown',
    `Cannot find the VPC of the target group: ${got}. Set spec.targetGroup.vpcID, or let a ClusterSet create the secret of the cluster with the annotation ${CLUSTER_VPC_ANNOTATION}.`,
  );
}

const problem = (reason: string, message: string): FoundVPC => ({
  is: 'Problem',
  problem: { object: 'spec.targetGroup.vpcID', reason, message },
});

// A message has 1,024 characters, and is to say to its end what to do.
const MOST_NAMED = 3;
const LONGEST_NAME = 60;

const namesOf = (clusters: readonly { readonly name: string }[]): string =>
  listOf(
    clusters.map(({ name }) => (name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME - 1)}…`)),
  );

function listOf(texts: readonly string[]): string {
  const named = texts.slice(0, MOST_NAMED).join(', ');
  const more = texts.length - MOST_NAMED;
  return more <= 0 ? named : `${named} and ${more} more`;
}
