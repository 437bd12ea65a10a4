import { type KindRef, objectPath } from '../../../clients/kubernetes/kinds.ts';
import { unlessMissing } from '../../../clients/kubernetes/kubernetes.ts';
import { until } from '../until.ts';
import { callTo } from '../../../local/applying/calls.ts';

/** Labels or annotations to set; null takes one away. */
export type Notes = Readonly<Record<string, string | null>>;

/** Which part of an object to change, and whether the change is only judged, and not kept. */
export interface PatchOptions {
  readonly subresource?: 'status';
  readonly dryRun?: boolean;
}

/** Whether to wait until an object is gone that is deleted. */
export interface DeletionOptions {
  readonly wait?: boolean;
}

/** Changes objects of a namespace, or of none, as someone does by kubectl, without a process for each. */
export interface Edits {
  /** Changes an object by a JSON merge patch. */
  patch(kind: KindRef, name: string, mergePatch: object, options?: PatchOptions): Promise<void>;
  /** Deletes an object, which is there, and waits until it is gone unless told not to. */
  delete(kind: KindRef, name: string, options?: DeletionOptions): Promise<void>;
}

// An object that stays for a while is answered itself.
interface Deleted {
  readonly metadata?: { readonly uid?: string };
  readonly details?: { readonly uid?: string };
}

/** Makes what edits the objects of a namespace. */
export function editsOf(kubeconfig: string, namespace: string): Edits {
  const call = callTo(kubeconfig);
  return {
    patch: async (kind, name, mergePatch, { subresource, dryRun = false } = {}) => {
      await call({
        method: 'PATCH',
        path: objectPath(kind, { namespace, name }, subresource),
        // By another manager than okrad, to which what a person has written does not belong.
        query: {
          fieldManager: 'kubectl-patch',
          fieldValidation: 'Strict',
          dryRun: dryRun ? 'All' : undefined,
        },
        contentType: 'application/merge-patch+json',
        body: mergePatch,
      });
    },
    delete: async (kind, name, { wait = true } = {}) => {
      const path = objectPath(kind, { namespace, name });
      const body = { propagationPolicy: 'Background' };
      const deleted = await call<Deleted>({ method: 'DELETE', path, body });
      if (!wait) return;
      const uid = deleted.metadata?.uid ?? deleted.details?.uid;
      const read = () => unlessMissing(call<Deleted>({ method: 'GET', path }));
      // Another one of the same name may be there already.
      const isGone = async () => (await read())?.metadata?.uid !== uid;
      await until(`${kind.kind} ${name} to be gone`, isGone, { seen: read });
    },
  };
}
