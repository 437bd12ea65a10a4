import type { ClusterSetSpec } from '../../../crds/cluster-set.ts';
import { canonical } from '../../kubernetes/canonical.ts';
import type { ExistingSecret, DesiredSecret } from './cluster-secret-marks.ts';
import { hasMarks, withGenerated } from '../generated.ts';
import {
  CLUSTER_ID_ANNOTATION,
  CLUSTER_TAGS_ANNOTATION,
  CLUSTER_VPC_ANNOTATION,
  SECRET_TYPE_CLUSTER,
  SECRET_TYPE_LABEL,
} from '../../kubernetes/labels.ts';
import type { SourcedCluster } from './source-reading.ts';
import type { Problem } from '../sync-status.ts';
import { renderAnnotations, renderLabels } from './template.ts';

/** Makes the secret of a cluster by the template of a set, or says why that cannot be filled in. */
export function desiredSecret(
  { template }: ClusterSetSpec,
  cluster: SourcedCluster,
  name: string,
):
  | { readonly ok: true; readonly secret: DesiredSecret }
  | { readonly ok: false; readonly problems: readonly Problem[] } {
  const labels = renderLabels(template?.metadata?.labels, cluster);
  const annotations = renderAnnotations(template?.metadata?.annotations, cluster);
  const messages = [...labels.problems, ...annotations.problems];
  if (messages.length > 0) {
    const problems = messages.map((message) => ({
      cluster: cluster.name,
      reason: 'InvalidTemplate',
      message,
    }));
    return { ok: false, problems };
  }
  const { server = '', config = '', configByARN = '' } = cluster.access ?? {};
  const access =
    template?.server === 'ARN' ? { server: cluster.id, config: configByARN } : { server, config };
  const marks = withGenerated({
    labels: { ...labels.values, [SECRET_TYPE_LABEL]: SECRET_TYPE_CLUSTER },
    annotations: {
      ...annotations.values,
      [CLUSTER_ID_ANNOTATION]: cluster.id,
      [CLUSTER_TAGS_ANNOTATION]: canonical(cluster.tags),
      ...(cluster.vpcID === undefined ? {} : { [CLUSTER_VPC_ANNOTATION]: cluster.vpcID }),
    },
  });
  return { ok: true, secret: { name, ...marks, content: { name: cluster.name, ...access } } };
}

/** Whether a secret is as it is to be. */
export const isAsDesired = (existing: ExistingSecret, wanted: DesiredSecret): boolean =>
  existing.isInherited !== true &&
  hasMarks(existing, wanted) &&
  Object.entries(wanted.content).every(([key, value]) => (existing.content[key] ?? '') === value);
