import { kindOf, type KindRef } from '../../../clients/kubernetes/kinds.ts';
import type { Identified } from '../../../clients/kubernetes/kubernetes.ts';
import { loadKubeconfig } from '../../../clients/kubernetes/kubeconfig-files.ts';
import { kubeconfigDoor } from '../../../clients/kubernetes/kubernetes-door.ts';
import { objectPath } from '../../../clients/kubernetes/kubernetes-paths.ts';
import { makeCall, makeSend } from '../../../clients/kubernetes/kubernetes-transport.ts';
import { OWN_CLUSTER } from '../../../clients/kubernetes/limits.ts';

/** An object, or a list of objects, as it stands in a manifest. */
export type Manifest = Identified & { readonly items?: readonly Manifest[] };

const TIMEOUT_MILLISECONDS = 30_000;

/** Applies an object in a namespace; answers whether its kind is one of those that it knows. */
export type Apply = (object: Manifest, namespace: string) => Promise<boolean>;

/**
 * Applies objects as `kubectl apply --server-side --force-conflicts` does, by the same field manager, without a process
 * for each that asks the API server for all that it serves; `dryRun` has them judged, and not kept.
 */
export function applyTo(kubeconfig: string, { dryRun = false }: { readonly dryRun?: boolean } = {}): Apply {
  const send = makeSend(kubeconfigDoor(loadKubeconfig(kubeconfig)));
  const call = makeCall(send, TIMEOUT_MILLISECONDS, OWN_CLUSTER);
  return async (object, namespace) => {
    const kind = knownKind(object);
    if (kind === undefined) return false;
    await call({
      method: 'PATCH',
      path: objectPath(kind, { namespace, ...object.metadata }),
      query: {
        fieldManager: 'kubectl',
        force: 'true',
        fieldValidation: 'Strict',
        dryRun: dryRun ? 'All' : undefined,
      },
      contentType: 'application/apply-patch+yaml',
      body: object,
    });
    return true;
  };
}

function knownKind(object: Manifest): KindRef | undefined {
  try {
    return kindOf(object);
  } catch {
    return undefined;
  }
}
