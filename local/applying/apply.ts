import type { Identified } from '../../clients/kubernetes/kubernetes.ts';
import { objectPath } from '../../clients/kubernetes/kinds.ts';
import { callTo } from './calls.ts';
import { knownKind } from './kinds.ts';

/** An object, or a list of objects, as it stands in a manifest. */
export type Manifest = Identified & { readonly items?: readonly Manifest[] };

/** Applies an object in a namespace; answers whether its kind is one of those that it knows. */
export type Apply = (object: Manifest, namespace: string) => Promise<boolean>;

/**
 * Applies objects as `kubectl apply --server-side --force-conflicts` does, by the same field manager, without a process
 * for each that asks the API server for all that it serves; `dryRun` has them judged, and not kept.
 */
export function applyTo(kubeconfig: string, { dryRun = false }: { readonly dryRun?: boolean } = {}): Apply {
  const call = callTo(kubeconfig);
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

/** Applies an object in a namespace, or all objects of a List one after the other. */
export type ApplyAll = (object: object, namespace: string) => Promise<void>;

/** Does so with objects of the kinds that it knows, and refuses others. */
export function applyAllTo(kubeconfig: string): ApplyAll {
  const apply = applyTo(kubeconfig);
  return async (object, namespace) => {
    const manifest = object as Manifest;
    for (const one of manifest.items ?? [manifest]) {
      if (await apply(one, namespace)) continue;
      throw new TypeError(
        `Expected an object of a kind in local/applying/kinds.ts, got ${one.apiVersion} ${one.kind}. Add the kind there.`,
      );
    }
  };
}
