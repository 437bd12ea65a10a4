import {
  AWS_APPLICATION_LOAD_BALANCER_CONFIG,
  AWS_APPLICATION_LOAD_BALANCER_TARGET_DEPLOYMENT,
  AWS_TARGET_GROUP,
  CELL,
} from '../../clients/kubernetes/kinds.ts';
import { isNotFound, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { statusSchemaOf } from '../../crds/index.ts';
import type { Metadata } from '../../crds/resource.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import { fitToSchema } from '../../domain/rollout/report/fit.ts';
import type { ObjectKey, ObjectRef } from '../../domain/model/ids.ts';
import type { ObservedForwarding } from '../../domain/load-balancers/load-balancer.ts';
import {
  targetDeploymentStatus,
  versionsByARN,
} from '../../domain/load-balancers/application-load-balancer/target-deployment.ts';
import { ownedBy } from '../kubernetes/owner-references.ts';

/** What says which version a target group is of; those who have read it pass it on. */
export interface VersionSources {
  readonly cell: Cell | undefined;
  readonly around: { readonly groups: readonly AWSTargetGroup[] };
}

/** Shows what a listener rule routes to in an AWSApplicationLoadBalancerTargetDeployment; a view does not hold up what it shows, so it throws nothing. */
export async function reportTargetDeployment(
  kubernetes: KubernetesClient,
  config: ObjectRef,
  served: ObservedForwarding | undefined,
  known?: Promise<VersionSources | undefined>,
): Promise<void> {
  if (served?.type !== 'AWSApplicationLoadBalancer') return;
  try {
    // Those who pass it on read more than this, and what fails of that is no concern of the view.
    const read = (await known?.catch(() => undefined)) ?? (await readVersions(kubernetes, config.key));
    const status = targetDeploymentStatus(served, versionsByARN(read.cell?.spec ?? {}, read.around.groups));
    await write(kubernetes, config, status);
  } catch {
    // It may not be installed, or allowed, or be in deletion; the next write of weights shows it again.
  }
}

async function write(kubernetes: KubernetesClient, { key, uid }: ObjectRef, said: object): Promise<void> {
  const { apiVersion, kind } = AWS_APPLICATION_LOAD_BALANCER_TARGET_DEPLOYMENT;
  const object = { apiVersion, kind, metadata: { ...key } };
  const status = fitToSchema({ ...said, lastSyncTime: new Date().toISOString() }, statusSchemaOf(kind));
  const writeStatus = (): Promise<{ readonly metadata: Metadata }> =>
    kubernetes.apply({ ...object, status }, { subresource: 'status', force: true });
  // It is there already but for the first time.
  const there = await writeStatus().catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  // One of an earlier configuration of this name goes with that, which may have been deleted a moment ago.
  if (there?.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true) return;
  const ownerReferences = ownedBy(AWS_APPLICATION_LOAD_BALANCER_CONFIG.kind, { key, uid }, false);
  await kubernetes.apply({ ...object, metadata: { ...key, ownerReferences }, spec: {} }, { force: true });
  if (there === undefined) await writeStatus();
}

async function readVersions(kubernetes: KubernetesClient, key: ObjectKey): Promise<VersionSources> {
  const [cell, groups] = await Promise.all([
    kubernetes.get<Cell>(CELL, key),
    kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: key.namespace }),
  ]);
  return { cell, around: { groups } };
}
