import type { Client } from '@temporalio/client';
import type { AwsScope } from '../../clients/aws/aws-credentials.ts';
import type { EKS } from '../../clients/aws/eks.ts';
import type { ELBv2Regions } from '../../clients/aws/elbv2.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { RemoteClusters } from '../../clients/kubernetes/remote-clusters.ts';
import { CELL } from '../../clients/kubernetes/kinds.ts';
import { cell as cellKind, type ApplicationsSpec, type Cell, type WrittenCellSpec } from '../../crds/cell.ts';
import { recordsIn, textIn } from '../../domain/model/fields.ts';
import { readableSpec } from '../rollout/observe-cell.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';

/** What the activities of Cells with applications are made of. */
export interface ApplicationsDependencies {
  readonly kubernetes: KubernetesClient;
  readonly temporal: Client;
  readonly elbv2: ELBv2Regions;
  readonly eks: (scope: AwsScope) => EKS;
  readonly clusters: RemoteClusters;
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
  readonly dependencies: ApplicationsDependencies;
  readonly signal: AbortSignal;
}

/** Reads a Cell with applications; undefined when there is none of that name. */
export async function readCell(
  kubernetes: Pick<KubernetesClient, 'get'>,
  key: ObjectKey,
): Promise<(ReadCell & { readonly problems: readonly string[] }) | undefined> {
  const object = await kubernetes.get<Cell>(CELL, key);
  if (object === undefined) return undefined;
  const parsed = cellKind.parse(object);
  const { clusters = [], applications = [], ...spec } = parsed.ok ? parsed.value : readable(object.spec);
  return {
    key,
    uid: object.metadata.uid ?? '',
    object,
    spec: { ...spec, clusters, applications },
    problems: parsed.ok ? [] : parsed.problems,
  };
}

/** What counts of an invalid spec: of applications that this release cannot read, their names. */
function readable(written: Cell['spec']): WrittenCellSpec {
  const { applications, ...spec } = readableSpec(written);
  const named = recordsIn(Reflect.get(written, 'applications')).flatMap(({ name }) => textIn(name) ?? []);
  return { ...spec, applications: applications ?? named.map((name) => ({ name })) };
}
