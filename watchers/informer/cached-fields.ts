import { digest } from '../../clients/digest.ts';
import { HASH_ANNOTATION } from '../../domain/checks/next-run.ts';
import { APPLICATIONS_ANNOTATION } from '../../domain/applications/secrets.ts';
import {
  CELL_LABEL,
  CLUSTER_ID_ANNOTATION,
  CLUSTER_TAGS_ANNOTATION,
  CLUSTER_VPC_ANNOTATION,
} from '../../domain/kubernetes/labels.ts';
import { ABOUT } from '../../domain/staged/kubestellar.ts';
import type { InformedMetadata } from '../event.ts';
import type { ForeignKind } from '../foreign.ts';
import { given, fieldsIn, numberIn, recordsIn } from '../../domain/model/fields.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { ownFields } from './own-fields.ts';

type Texts = Readonly<Record<string, string>>;

/** An object of someone else's kind, as far as any watcher looks at it. */
export interface ForeignObject {
  readonly metadata: InformedMetadata & {
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly labels?: Texts;
    readonly annotations?: Texts;
    readonly ownerReferences?: readonly {
      readonly kind: string;
      readonly name: string;
      readonly controller?: boolean;
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly active?: number;
    readonly observedGeneration?: number;
    readonly analysis?: { readonly observedHash?: string };
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  readonly data?: Texts;
  readonly spec?: unknown;
  readonly operation?: unknown;
  /** All that decides, in a word. */
  readonly says?: string;
}

/** What is said of a cluster beside the way to it, which whoever looks into it goes by. */
const OF_CLUSTERS = [
  CLUSTER_ID_ANNOTATION,
  CLUSTER_TAGS_ANNOTATION,
  CLUSTER_VPC_ANNOTATION,
  APPLICATIONS_ANNOTATION,
];

type Keep = (object: ForeignObject) => ForeignObject;

/** What is kept of objects that may be many and large, and of which little is ever read. */
const keeps: Readonly<Record<ForeignKind | 'Check', Keep>> = {
  AnalysisRun: (object) => ({
    metadata: { ...identityOf(object), ...labelOf(object) },
    status: given({ phase: object.status?.phase }),
  }),
  Experiment: (object) => ({
    metadata: { ...identityOf(object), ...labelOf(object) },
    // One whose spec Argo Rollouts refuses gets no phase, and has this condition.
    status: { ...given({ phase: object.status?.phase }), conditions: conditionsOf(object, 'InvalidSpec') },
  }),
  Job: (object) => ({
    metadata: { ...identityOf(object), ...labelOf(object) },
    status: {
      ...given({ active: object.status?.active }),
      conditions: conditionsOf(object, 'Complete', 'Failed', 'FailureTarget'),
    },
  }),
  // Its last results are read by nobody here.
  Check: ({ metadata, status }) => ({
    metadata: {
      ...identityOf({ metadata }),
      ...labelOf({ metadata }),
      ...given({ generation: metadata.generation }),
      annotations: only([HASH_ANNOTATION], metadata.annotations),
    },
    status: given({
      phase: status?.phase,
      observedGeneration: status?.observedGeneration,
      analysis: given({ observedHash: status?.analysis?.observedHash }),
    }),
  }),
  AnalysisTemplate: (object) => ({ metadata: identityOf(object) }),
  ClusterAnalysisTemplate: (object) => ({ metadata: identityOf(object) }),
  ReplicaSet: (object) => ({
    metadata: { ...identityOf(object), ...given({ generation: object.metadata.generation }) },
  }),
  BindingPolicy: (object) => takenUpOf(object),
  Binding: (object) => takenUpOf(object),
  CombinedStatus: ({ metadata }) => ({
    metadata: { ...identityOf({ metadata }), labels: only([ABOUT.policy], metadata.labels) },
  }),
  Application: (object) => ({
    metadata: {
      ...identityOf(object),
      ...given({ ownerReferences: object.metadata.ownerReferences?.map(ownerOf) }),
    },
    says: applicationSays(object),
  }),
  ApplicationSet: (object) => ({
    metadata: { ...identityOf(object), ...given({ labels: object.metadata.labels }) },
    says: applicationSetSays(object),
  }),
  ControllerRevision: (object) => ({ metadata: { ...identityOf(object), ...labelOf(object) } }),
  Secret: ({ metadata, data }) => ({
    metadata: {
      ...identityOf({ metadata }),
      // Cells with applications go by whether it is being deleted, and watchers and workers compare what each has computed.
      ...given({
        deletionTimestamp: metadata.deletionTimestamp,
        labels: metadata.labels,
        ownerReferences: metadata.ownerReferences?.map(ownerOf),
      }),
      annotations: only(OF_CLUSTERS, metadata.annotations),
    },
    data: only(['name', 'server', 'config', 'namespaces'], data),
  }),
};

/** What the watchers keep of an object of a kind; undefined: all of it that is of any use. */
export const cachedFields = (kind: string): Keep | undefined => all.get(kind);

// What a function of Okra's own objects takes and gives is an object as JSON has it.
const all = new Map(
  Object.entries({ ...(ownFields as Readonly<Record<string, unknown>>), ...keeps }),
) as ReadonlyMap<string, Keep>;

const identityOf = ({ metadata }: Pick<ForeignObject, 'metadata'>): InformedMetadata => {
  const { name, namespace, uid, resourceVersion } = metadata;
  return given({ name, namespace, uid, resourceVersion });
};

/** An object, and whether whoever acts on it has taken up its spec as it is; who runs another API server may have any object made up. */
const takenUpOf = ({ metadata, status }: ForeignObject): ForeignObject => ({
  metadata: { ...identityOf({ metadata }), ...given({ generation: numberIn(metadata.generation) }) },
  status: given({ observedGeneration: numberIn(fieldsIn(status)['observedGeneration']) }),
});

const labelOf = ({ metadata }: ForeignObject) => ({ labels: only([CELL_LABEL], metadata.labels) });

/** Some conditions of an object; an object of another form must not keep its whole kind from being listed. */
const conditionsOf = ({ status }: ForeignObject, ...wanted: readonly string[]) =>
  recordsIn(fieldsIn(status)['conditions']).flatMap(({ type, status: holds }) =>
    typeof type === 'string' && typeof holds === 'string' && wanted.includes(type)
      ? [{ type, status: holds }]
      : [],
  );

const ownerOf = ({
  kind,
  name,
  controller,
}: NonNullable<ForeignObject['metadata']['ownerReferences']>[number]) => ({
  kind,
  name,
  ...given({ controller }),
});

const only = (keys: readonly string[], texts: Texts | null | undefined): Texts =>
  Object.fromEntries(Object.entries(texts ?? {}).filter(([key]) => keys.includes(key)));

interface Deployed {
  readonly metadata: {
    readonly uid?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: unknown;
    readonly ownerReferences?: unknown;
  };
  readonly spec?: unknown;
  readonly operation?: unknown;
  readonly status?: unknown;
}

/** What Argo CD writes into an Application every few minutes is much, and little of it decides whether an application is deployed: that, in a word. */
function applicationSays({ metadata, ...object }: Deployed): string {
  const { spec, operation, status } = object;
  const { destination, source, sources } = fieldsIn(spec);
  const { sync, health, operationState, reconciledAt } = fieldsIn(status);
  const { status: synced, comparedTo } = fieldsIn(sync);
  return inAWord([
    [metadata.ownerReferences, metadata.deletionTimestamp !== undefined],
    [destination, source, sources, operation !== undefined],
    [synced, comparedTo, fieldsIn(health)['status'], fieldsIn(operationState)['phase'], reconciledAt],
  ]);
}

/** The same of an ApplicationSet, whose status lists how each of its Applications is. */
function applicationSetSays({ metadata, status }: Deployed): string {
  const conditions = recordsIn(fieldsIn(status)['conditions'])
    .filter(({ type }) => type === 'ResourcesUpToDate' || type === 'ErrorOccurred')
    .map(({ type, status: holds, message }) => [type, holds, message]);
  return inAWord([metadata.uid, metadata.labels, conditions]);
}

const inAWord = (said: unknown): string => digest(canonical(said));
