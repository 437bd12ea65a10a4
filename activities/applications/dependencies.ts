import type { Client } from '@temporalio/client';
import type { AwsScope } from '../../clients/aws/aws-credentials.ts';
import type { EKS } from '../../clients/aws/eks.ts';
import type { ELBv2Regions } from '../../clients/aws/elbv2.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { RemoteClusters } from '../../clients/kubernetes/remote-clusters.ts';
import type { ApplicationsSpec, Cell } from '../../crds/cell.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';

/** What the activities of Cells with applications are made of. */
export interface ApplicationsDependencies {
  readonly kubernetes: KubernetesClient;
  readonly temporal: Client;
  readonly elbv2: ELBv2Regions;
  readonly eks: (scope: AwsScope) => EKS;
  readonly clusters: RemoteClusters;
  /** The region that the clusters are in. */
  readonly region?: string;
  readonly taskQueue: string;
}

/** A Cell with applications, whose spec was read. */
export interface ReadCell {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly object: Cell;
  readonly spec: ApplicationsSpec;
}

/** What a look at EKS for a Cell is made with. */
export interface LookContext {
  readonly key: ObjectKey;
  readonly means: ApplicationsDependencies;
  readonly signal: AbortSignal;
}
