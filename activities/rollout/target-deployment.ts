import {
  AWS_APPLICATION_LOAD_BALANCER_CONFIG,
  AWS_APPLICATION_LOAD_BALANCER_TARGET_DEPLOYMENT,
  AWS_TARGET_GROUP,
  CELL,
} from '../../clients/kubernetes/kinds.ts';
import { KubernetesError, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { statusSchemaOf } from '../../crds/status-schema.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import { fitted } from '../../domain/rollout/fitted.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { ObservedForwarding } from '../../domain/load-balancers/load-balancer.ts';
import {
  targetDeploymentStatus,
  versionsByARN,
} from '../../domain/load-balancers/application-load-balancer/target-deployment.ts';
import { ownedBy } from '../kubernetes/owner-references.ts';

/** Shows what a listener rule routes to in an object that people read; load balancers without rules have none. */
export type TargetDeploymentReporter = (
  config: { readonly key: ObjectKey; readonly uid: string },
  served: ObservedForwarding | undefined,
) => Promise<void>;

/** Makes the one writer of AWSApplicationLoadBalancerTargetDeployments. */
export function targetDeploymentReporter(kubernetes: KubernetesClient): TargetDeploymentReporter {
  return async ({ key, uid }, served) => {
    if (served?.type !== 'AWSApplicationLoadBalancer') return;
    const status = targetDeploymentStatus(served, await versions(kubernetes, key));
    const { apiVersion, kind } = AWS_APPLICATION_LOAD_BALANCER_TARGET_DEPLOYMENT;
    const owned = ownedBy(AWS_APPLICATION_LOAD_BALANCER_CONFIG.kind, { key, uid }, false);
    const metadata = { ...key, ownerReferences: owned };
    try {
      await kubernetes.apply({ apiVersion, kind, metadata, spec: {} }, { force: true });
      await kubernetes.apply(
        {
          apiVersion,
          kind,
          metadata: { ...key },
          status: fitted({ ...status, lastSyncTime: new Date().toISOString() }, statusSchemaOf(kind)),
        },
        { subresource: 'status', force: true },
      );
    } catch (error) {
      // A view must not hold up what it shows: it may not be installed, or allowed, or be in deletion.
      if (!(error instanceof KubernetesError && [403, 404, 409].includes(error.status))) throw error;
    }
  };
}

/** The versions of the AWSTargetGroups of a namespace, by ARN, as the Cell of this name reads them. */
async function versions(kubernetes: KubernetesClient, key: ObjectKey): Promise<ReadonlyMap<string, string>> {
  const [cell, groups] = await Promise.all([
    kubernetes.get<Cell>(CELL, key),
    kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: key.namespace }),
  ]);
  return versionsByARN(cell?.spec ?? {}, groups);
}
