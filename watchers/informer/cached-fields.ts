import { digest } from '../../clients/digest.ts';
import { APPLICATIONS_ANNOTATION } from '../../domain/applications/secrets.ts';
import { HASH_ANNOTATION } from '../../domain/checks/next-run.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import {
  CELL_LABEL,
  CLUSTER_ID_ANNOTATION,
  CLUSTER_TAGS_ANNOTATION,
  CLUSTER_VPC_ANNOTATION,
} from '../../domain/kubernetes/labels.ts';
import { fieldsIn, isRecord, recordsIn, type Fields } from '../../domain/model/fields.ts';
import { ABOUT } from '../../domain/staged/kubestellar.ts';
import type { Informed } from '../event.ts';
import type { ForeignKind } from '../kinds.ts';
import { slim } from './informer.ts';

/** What is kept of a value: all of it, some fields, or some fields of each object in a list. */
type Kept = true | { readonly [field: string]: Kept } | readonly [{ readonly [field: string]: Kept }];

const only = (...fields: readonly string[]): { readonly [field: string]: true } =>
  Object.fromEntries(fields.map((field) => [field, true]));

const identity = only('name', 'namespace', 'uid', 'resourceVersion');
const ofCell = { ...identity, labels: only(CELL_LABEL) };
const conditions = [only('type', 'status')] as const;
const observed = { metadata: { ...identity, generation: true }, status: only('observedGeneration') } as const;

/** What is kept of objects that may be many and large, and of which little is ever read. */
const cached: Readonly<Record<ForeignKind | 'Check', Kept>> = {
  AnalysisRun: { metadata: ofCell, status: only('phase') },
  Experiment: { metadata: ofCell, status: { phase: true, conditions } },
  Job: { metadata: ofCell, status: { active: true, conditions } },
  Check: {
    metadata: { ...ofCell, generation: true, annotations: only(HASH_ANNOTATION) },
    status: { ...only('phase', 'observedGeneration'), analysis: only('observedHash') },
  },
  AnalysisTemplate: { metadata: identity },
  ClusterAnalysisTemplate: { metadata: identity },
  ReplicaSet: { metadata: { ...identity, generation: true } },
  BindingPolicy: observed,
  Binding: observed,
  CombinedStatus: { metadata: { ...identity, labels: only(ABOUT.policy) } },
  Application: { metadata: { ...identity, ownerReferences: [only('kind', 'name')] } },
  ApplicationSet: { metadata: { ...identity, labels: true } },
  ControllerRevision: { metadata: ofCell },
  Secret: {
    metadata: {
      ...identity,
      // Cells with applications go by whether it is being deleted, and watchers and workers compare what each has computed.
      ...only('deletionTimestamp', 'labels'),
      ownerReferences: [only('kind', 'name', 'controller')],
      annotations: only(
        CLUSTER_ID_ANNOTATION,
        CLUSTER_TAGS_ANNOTATION,
        CLUSTER_VPC_ANNOTATION,
        APPLICATIONS_ANNOTATION,
      ),
    },
    data: only('name', 'server', 'config', 'namespaces'),
  },
};

const config = { metadata: true, spec: only('listenerARN'), status: only('observedGeneration') } as const;

/** What is kept of Okra's own objects of which there may be thousands: what decides about messages and metrics. */
const own: Readonly<Record<string, Kept>> = {
  AWSTargetGroup: { ...only('metadata', 'spec'), status: only('version', 'observedGeneration') },
  AWSApplicationLoadBalancerConfig: config,
  AWSNetworkLoadBalancerConfig: config,
  Cell: {
    ...only('metadata', 'spec'),
    status: {
      ...only('phase', 'reason', 'observedHash', 'lastSyncTime'),
      ...only('rollout', 'currentStepIndex', 'canaryWeight'),
      conditions: [only('type', 'status', 'reason')],
      blockedVersions: [only('version')],
      targetGroups: [only('weight')],
      history: [only('version', 'startedAt', 'endedAt', 'outcome')],
    },
  },
};

/** What decides whether Argo CD has deployed an application; all else in its objects changes every few minutes. */
const deciding: Readonly<Record<string, (object: Fields) => unknown>> = {
  Application: ({ metadata, spec, operation, status }) => {
    const { ownerReferences, deletionTimestamp } = fieldsIn(metadata);
    const { destination, source, sources } = fieldsIn(spec);
    const { sync, health, operationState, reconciledAt } = fieldsIn(status);
    const { status: synced, comparedTo } = fieldsIn(sync);
    return [
      [ownerReferences, deletionTimestamp !== undefined],
      [destination, source, sources, operation !== undefined],
      [synced, comparedTo, fieldsIn(health)['status'], fieldsIn(operationState)['phase'], reconciledAt],
    ];
  },
  ApplicationSet: ({ metadata, status }) => {
    const { uid, labels } = fieldsIn(metadata);
    const said = recordsIn(fieldsIn(status)['conditions'])
      .filter(({ type }) => type === 'ResourcesUpToDate' || type === 'ErrorOccurred')
      .map(({ type, status: holds, message }) => [type, holds, message]);
    return [uid, labels, said];
  },
};

/** Makes what cuts an object of a kind down to what watchers keep; undefined: the informer's own cut is enough. */
export function cachedFields(kind: string): (<T extends Informed>(object: T) => T) | undefined {
  const kept = new Map(Object.entries({ ...cached, ...own })).get(kind);
  if (kept === undefined) return undefined;
  const decides = deciding[kind];
  return <T extends Informed>(object: T): T => {
    const slimmed = Object.hasOwn(own, kind) ? slim(object) : object;
    if (kind === 'Cell' && isOfApplications(fieldsIn(slimmed))) return slimmed;
    const fields = fieldsIn(keep(slimmed, kept));
    // What is cut down has the form of its kind, whose other fields are optional.
    return {
      ...fields,
      ...(decides === undefined ? {} : { digest: digest(canonical(decides(fieldsIn(object)))) }),
    } as unknown as T;
  };
}

/** Whether a Cell has applications, or belongs to one: of these the whole status matters. */
const isOfApplications = ({ metadata, spec }: Fields): boolean =>
  fieldsIn(spec)['applications'] !== undefined ||
  fieldsIn(fieldsIn(metadata)['labels'])[CELL_LABEL] !== undefined;

/** Cuts a value down; a part of another form than expected is left out, and does not keep its kind from being listed. */
function keep(value: unknown, kept: Kept): unknown {
  if (kept === true) return value;
  if (isList(kept))
    return Array.isArray(value) ? value.filter(isRecord).map((one) => keep(one, kept[0])) : undefined;
  if (!isRecord(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      const of = Object.hasOwn(kept, key) ? kept[key] : undefined;
      const left = of === undefined ? undefined : keep(part, of);
      return left === undefined ? [] : [[key, left]];
    }),
  );
}

const isList = (kept: Kept): kept is Extract<Kept, readonly unknown[]> => Array.isArray(kept);
