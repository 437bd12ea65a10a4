import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import {
  ADOPT_ANNOTATION,
  API_VERSION,
  FINALIZER,
  SEQUENCE_ANNOTATION,
} from '../../domain/kubernetes/labels.ts';
import { formatKey } from '../../domain/model/ids.ts';
import type { ShiftRequest } from '../contract.ts';
import { failure } from '../failure.ts';
import { ownedByCell } from '../kubernetes/owner-references.ts';
import { unlessChanged, withoutOthers } from '../kubernetes/writes.ts';
import { describeRoute } from '../../domain/load-balancers/load-balancer.ts';
import { configViewOf, deletionOf, isByHandElsewhere } from '../load-balancers/config-object.ts';
import { loadBalancerOf } from '../load-balancers/index.ts';
import type { ConfigObject } from '../load-balancers/port.ts';

type Writer = Pick<KubernetesClient, 'apply' | 'patch'>;

/** Writes the Cell's configuration object, unless someone has changed it since it was read. */
export async function writeConfig(
  request: ShiftRequest,
  known: ConfigObject | undefined,
  kubernetes: Writer,
): Promise<ConfigObject> {
  const { cell, forwarding, deletionPolicy, adopt, sequence } = request;
  const loadBalancer = loadBalancerOf(forwarding.type);
  const { kind } = loadBalancer;
  refuseByHand(request, known);
  const resourceVersion = known?.metadata.resourceVersion;
  const spec = loadBalancer.spec(forwarding, deletionPolicy);
  return await unlessChanged(`${kind.kind} ${formatKey(cell.key)}`, async () => {
    const written = await kubernetes.apply<ConfigObject>(
      {
        apiVersion: API_VERSION,
        kind: kind.kind,
        metadata: {
          ...cell.key,
          ...(resourceVersion === undefined ? {} : { resourceVersion }),
          annotations: {
            [SEQUENCE_ANNOTATION]: String(sequence),
            ...(adopt ? { [ADOPT_ANNOTATION]: 'true' } : {}),
          },
          // With Delete it stays until what it has made is deleted.
          ...(deletionPolicy === 'Delete' && !isLetGo(known) ? { finalizers: [FINALIZER] } : {}),
          ownerReferences: ownedByCell(cell),
        },
        spec,
      },
      { force: true },
    );
    return await withoutOthers(kubernetes, kind, written, spec);
  });
}

/** Whether an object is being deleted, and waits for others alone: Kubernetes takes no new finalizer then. */
function isLetGo(known: ConfigObject | undefined): boolean {
  if (known === undefined) return false;
  const { isUnderWay, isHeld } = deletionOf(known.metadata);
  return isUnderWay && !isHeld;
}

function refuseByHand({ cell: { key }, forwarding }: ShiftRequest, known: ConfigObject | undefined): void {
  const ref = { type: forwarding.type, key };
  if (known === undefined || !isByHandElsewhere(ref, known, forwarding)) return;
  throw failure(
    'Conflict',
    `${forwarding.type}Config ${formatKey(key)} was written by hand for ${describeRoute(configViewOf(ref, known).desired)}, and the Cell needs one for ${describeRoute(forwarding)}. Rename the Cell or that object.`,
  );
}
