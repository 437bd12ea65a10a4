/** The workflow that works for each object of a kind. */
export type KindWorkflow =
  /** One of Okra's that is the same for all kinds: it syncs with the activity `sync<Type>`, again and again, for as long as the object exists. */
  | (WorkflowTraits & { readonly does: 'Sync' })
  /** One that `workflows/index.ts` exports by the name of its type. */
  | (WorkflowTraits & { readonly does: 'Own' });

interface WorkflowTraits {
  /** The type of the workflow, as the server and its Web UI show it. */
  readonly type: string;
  /** What its ids begin with: `<prefix>/<namespace>/<name>`, or `<prefix>/<name>` for an object without a namespace. */
  readonly idPrefix: string;
  /** What the object is called in the Web UI of Temporal; its kind unless this says otherwise. */
  readonly title?: string;
  /** What the workflow is started with besides the key of the object. */
  readonly input?: Readonly<Record<string, string>>;
  /** Whether the object bears the name of a Cell, so that a search for the Cell finds the workflow. */
  readonly bearsCellName?: boolean;
}

/** What Okra does with the objects of a kind, apart from what they look like. */
export interface KindTraits {
  /** Whether watchers look at the objects: always, or (optional) only where the kind is installed; they do not unless this is set. */
  readonly watched?: 'Always' | 'Optional';
  /** The workflow that works for each of its objects, if one does. */
  readonly workflow?: KindWorkflow;
  /** What okrad does with the objects in the Kubernetes API besides watching them. */
  readonly verbs?: readonly ('get' | 'create' | 'patch' | 'delete')[];
  /** Whether Okra writes their status. */
  readonly isReported?: boolean;
}

/** What has to be known of a kind to find its objects in the Kubernetes API. */
export interface KindRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}
