import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { AccessPolicy } from '../../crds/access-policy.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Freeze } from '../../crds/freeze.ts';
import type { SyncedKind } from '../../crds/index.ts';
import { digest } from '../../clients/digest.ts';
import { decodeBase64 } from '../../clients/kubernetes/base64.ts';
import type { StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import { accessOf, isAboutNamespace as isAccessAbout } from '../../domain/access/access.ts';
import { readKnownCluster } from '../../domain/discovery/clusters/known-cluster.ts';
import { setLooksInto, targetLooksInto } from '../../domain/discovery/target-group-set/looks-into.ts';
import { isAboutNamespace as isFreezeAbout } from '../../domain/gates/freeze.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { matches } from '../../domain/kubernetes/selector.ts';
import {
  loadBalancerTypes,
  routeOf,
  type LoadBalancerType,
  loadBalancerKind,
} from '../../domain/load-balancers/load-balancer.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { syncedKindNamed, syncedKinds } from '../../domain/model/workflow-ids.ts';
import { selectorOf } from '../../domain/versions/version-label.ts';
import { isTakenOtherwise, watchedInput, mayAdopt } from '../../domain/versions/watched.ts';
import type { Informed, ObjectEvent } from '../event.ts';
import { start, wake, type Instruction } from '../instruction.ts';
import {
  ANY,
  labelWords,
  type LoadBalancerConfig,
  type Shelf,
  type Shelved,
  type View,
} from '../informer/store.ts';
import type { KindEvent, Objects, Watched, ForeignObject } from '../kinds.ts';
import {
  applicationsDigest,
  hasApplications,
  routeApplication,
  routeApplicationSet,
  routeRevision,
  startParent,
  wakeChildren,
} from './route-applications.ts';
import { routeCheck, routeMeasurement, routeReplicaSet, routeTemplate } from './route-measurement.ts';
import {
  conditionOf,
  isSpecNews,
  mayBeUnderWay,
  routeBinding,
  routeGroupCheck,
  routeSynced,
  versionsOf,
} from './route-synced.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { fieldsIn, recordsIn, type Fields } from '../../domain/model/fields.ts';
import { ABOUT } from '../../domain/staged/kubestellar.ts';
import { SEQUENCE_ANNOTATION } from '../../domain/kubernetes/labels.ts';

type Route<Kind extends Watched> = (event: ObjectEvent<Objects[Kind]>, view: View) => readonly Instruction[];

type ConfigKind = `${LoadBalancerType}Config`;

/** How events about the objects of each kind are routed; those of a synced kind go to its workflow, unless they concern others too. */
type Routes = { readonly [Kind in Exclude<Watched, SyncedKind['kind'] | ConfigKind>]: Route<Kind> } & {
  readonly [Kind in SyncedKind['kind']]?: Route<Kind>;
};

const routes: Routes = {
  Cell: (event, view) => [
    ...routeCell(event, view),
    ...routeCellCheck(event, view),
    ...routeStagedCell(event, view),
    ...startParent(event, view),
    ...wakeChildren(event, view),
  ],
  AWSTargetGroup: (event, view) => [
    ...routeGroup(event, view),
    ...routeGroupCheck(event, view),
    ...startParent(event, view),
  ],
  AWSTargetGroupBinding: routeBinding,
  Check: routeCheck,
  Secret: (event, view) => [...routeSecret(event, view), ...startParent(event, view)],
  Application: routeApplication,
  ApplicationSet: routeApplicationSet,
  ControllerRevision: routeRevision,
  Freeze: (event, view) => [...routeFreeze(event, view), ...wakeStaged(view)],
  StagedBindingPolicy: routeStaged,
  BindingPolicy: routeStagedPart,
  Binding: routeStagedPart,
  CombinedStatus: routeStagedPart,
  AccessPolicy: routeAccessPolicy,
  AnalysisRun: (event, view) => routeMeasurement('AnalysisRun', event, view),
  Experiment: (event, view) => routeMeasurement('Experiment', event, view),
  Job: (event, view) => routeMeasurement('Job', event, view),
  ReplicaSet: routeReplicaSet,
  AnalysisTemplate: routeTemplate,
  ClusterAnalysisTemplate: routeTemplate,
};

const configTypes: ReadonlyMap<string, LoadBalancerType> = new Map(
  loadBalancerTypes.map((type) => [`${type}Config`, type]),
);

const isAboutConfig = (happened: { readonly kind: string }): happened is KindEvent<ConfigKind> =>
  configTypes.has(happened.kind);

/** Says which workflows have to hear of an event; `view` shows everything as it is after the event. */
export function route<Kind extends Watched>(happened: KindEvent<Kind>, view: View): readonly Instruction[] {
  const { kind, event } = happened;
  const type = configTypes.get(kind);
  if (type !== undefined && isAboutConfig(happened)) return routeConfig(type, happened.event, view);
  const some: { readonly [Each in Watched]?: Route<Each> } = routes;
  return some[kind]?.(event, view) ?? routeSynced(syncedKindNamed(kind).kind, event);
}

/** Whether something is left to do for a Cell: when its workflow is lost, someone has to start it again. */
function isLeftOver(cell: Cell): boolean {
  // Nothing else notices what it waits for in EKS and in its clusters.
  if (hasApplications(cell)) return true;
  const { status = {} } = cell;
  const { phase, rollout, targetGroups = [] } = status;
  // A group at weight 0 waits to be taken out of the rule.
  const waits = targetGroups.some(({ weight }) => weight === 0);
  const isUnderWay = rollout !== undefined || conditionOf({ status }, 'Progressing')?.status === 'True';
  return isUnderWay || waits || phase === 'Failed';
}

function routeCell({ type, object: cell }: ObjectEvent<Cell>, view: View): readonly Instruction[] {
  const key = keyOf(cell);
  if (type === 'delete') return [wake('Cell', key)];
  const lacks = type === 'add' && (isLeftOver(cell) || lacksConfig(cell, view));
  return lacks || isNews(cell, view) ? [start('Cell', key)] : [];
}

/** A Cell that comes, goes, or names another listener or other groups may make a target group one that another load balancer holds. */
function routeCellCheck(event: ObjectEvent<Cell>, view: View): readonly Instruction[] {
  const { namespace } = keyOf(event.object);
  // One that has a status was seen before, and its groups are checked when they are.
  const isAbout = event.type === 'add' ? event.object.status === undefined : isSpecNews(event);
  const isOther = isAbout && view.AWSTargetGroup.list(namespace).length > 0;
  return isOther ? [{ do: 'CheckTargetGroups', namespace }] : [];
}

/** Whether someone has deleted the configuration of a Cell that serves, while nobody watched. */
function lacksConfig(cell: Cell, view: View): boolean {
  const way = routeOf(cell.spec);
  const serves = (cell.status?.targetGroups ?? []).length > 0;
  return way !== undefined && serves && view[`${way.type}Config`].get(keyOf(cell)) === undefined;
}

function isNews(cell: Cell, view: View): boolean {
  if (hasApplications(cell)) return applicationsDigest(cell, view) !== cell.status?.observedHash;
  const { namespace } = keyOf(cell);
  const access = accessOf(namespace, [...view.AccessPolicy.list()]);
  return digest(watchedInput(cell, groupsFor(cell, view), access)) !== cell.status?.observedHash;
}

/** The target groups among which those of a Cell are, and not all of a namespace with thousands. */
const groupsFor = (cell: Cell, view: View): readonly AWSTargetGroup[] => [
  ...view.AWSTargetGroup.under(keyOf(cell).namespace, labelWords(selectorOf(cell.spec)?.matchLabels)),
];

function ofCellsFor<Result>(
  versions: readonly AWSTargetGroup[],
  view: View,
  of: (cell: Cell) => Result,
): readonly Result[] {
  const found = new Set<Cell>();
  const isFirst = (cell: Cell): boolean => found.size < found.add(cell).size;
  const selects = ({ spec }: Cell): boolean =>
    versions.some(({ metadata }) => matches(selectorOf(spec), metadata.labels));
  return versions.toReversed().flatMap(({ metadata }) =>
    [ANY, ...labelWords(metadata.labels)].flatMap((word) =>
      view.Cell.under(metadata.namespace ?? '', [word])
        .filter(isFirst)
        .filter(selects)
        .map(of),
    ),
  );
}

function routeGroup(event: ObjectEvent<AWSTargetGroup>, view: View): readonly Instruction[] {
  const versions = versionsOf(event);
  return ofCellsFor(versions, view, (cell) =>
    isTakenOtherwise(cell.spec, versions) && isNews(cell, view) ? [start('Cell', keyOf(cell))] : [],
  ).flat();
}

/** Wakes the rollouts that are under way when a Freeze comes, changes or goes; one that begins later sees it anyhow. */
const routeFreeze = (event: ObjectEvent<Freeze>, view: View): readonly Instruction[] =>
  view.Cell.list()
    .filter((cell) =>
      versionsOf(event).some(({ spec }) => isFreezeAbout(spec, keyOf(cell).namespace) && mayBeUnderWay(cell)),
    )
    .map((cell) => wake('Cell', keyOf(cell)));

/** Starts everything in the namespaces of an AccessPolicy: whatever was refused something, and whatever will be. */
function routeAccessPolicy(event: ObjectEvent<AccessPolicy>, view: View): readonly Instruction[] {
  const concerned = <T extends Informed>(shelf: Shelf<T>): Shelved<T> =>
    shelf
      .list()
      .filter((object) => versionsOf(event).some(({ spec }) => isAccessAbout(spec, keyOf(object).namespace)));
  const checked = new Set(concerned(view.AWSTargetGroup).map((group) => keyOf(group).namespace));
  return [
    ...concerned(view.Cell)
      .filter((cell) => isNews(cell, view) || mayBeUnderWay(cell))
      .map((cell) => start('Cell', keyOf(cell))),
    ...loadBalancerTypes.flatMap((type) =>
      concerned<LoadBalancerConfig>(view[`${type}Config`]).flatMap((object) =>
        routeConfig(type, { type: 'add', object }, view).filter((one) => one.do === 'Start'),
      ),
    ),
    ...[...checked].map((namespace): Instruction => ({ do: 'CheckTargetGroups', namespace })),
    ...syncedKinds.flatMap(({ kind, namespaced }) =>
      (namespaced ? concerned<Informed>(view[kind]) : []).map((one) => start(kind, keyOf(one))),
    ),
  ];
}

/** Starts whatever looks into the cluster of a secret that came, changed or went, or did. */
function routeSecret(event: ObjectEvent<StoredClusterSecret>, view: View): readonly Instruction[] {
  const { object } = event;
  if (event.type === 'update' && saysOf(object) === saysOf(event.old)) return [];
  const { namespace } = keyOf(object);
  const clusters = versionsOf(event).map((one) => readKnownCluster(one, decodeBase64));
  const sets = view.AWSTargetGroupSet.list(namespace).filter(({ spec }) =>
    clusters.some((cluster) => setLooksInto(spec, cluster)),
  );
  const bindings = view.AWSTargetGroupBinding.list(namespace).filter(({ spec }) =>
    spec.targets.some((target) => clusters.some((cluster) => targetLooksInto(target, cluster))),
  );
  return [
    ...sets.map((set) => start('AWSTargetGroupSet', keyOf(set))),
    ...bindings.map((one) => start('AWSTargetGroupBinding', keyOf(one))),
    ...(event.type === 'delete' ? makersOf(object, view) : []),
  ];
}

const saysOf = ({ metadata, data }: StoredClusterSecret): string =>
  canonical([data ?? {}, metadata.labels ?? {}, metadata.annotations ?? {}]);

/** Starts the workflows of the ClusterSets that may make a deleted secret: its own, and any that it stood in the way of. */
function makersOf(object: StoredClusterSecret, view: View): readonly Instruction[] {
  const { namespace } = object.metadata;
  const owner = controllerOf(object.metadata);
  const own = owner?.kind === 'ClusterSet' ? [owner.name] : [];
  const others = view.ClusterSet.list(namespace).map(({ metadata }) => metadata.name);
  return [...new Set([...own, ...others])].map((name) => start('ClusterSet', { namespace, name }));
}

/** Says who has to hear of an event about a StagedBindingPolicy; that its status was written is no news. */
function routeStaged(event: ObjectEvent<StagedBindingPolicy>): readonly Instruction[] {
  const isDeletion =
    event.type === 'update' &&
    event.object.metadata.deletionTimestamp !== event.old.metadata.deletionTimestamp;
  return isDeletion
    ? [start('StagedBindingPolicy', keyOf(event.object))]
    : routeSynced('StagedBindingPolicy', event);
}

/** Says who has to hear of an object of KubeStellar's: those by whose name that of the BindingPolicy begins. */
function routeStagedPart({ type, object }: ObjectEvent<ForeignObject>, view: View): readonly Instruction[] {
  if (type !== 'delete' && !isObserved(object)) return [];
  const policy = object.metadata.labels?.[ABOUT.policy] ?? object.metadata.name;
  return view.StagedBindingPolicy.list()
    .filter(({ metadata }) => policy.startsWith(`${metadata.name}-`))
    .map((one) => start('StagedBindingPolicy', keyOf(one)));
}

/** Whether KubeStellar has observed a BindingPolicy or a Binding as it is, before which there is nothing to see; a CombinedStatus is its own. */
const isObserved = ({ metadata: { generation }, status }: ForeignObject): boolean =>
  generation === undefined || generation === status?.observedGeneration;

function routeStagedCell({ object }: ObjectEvent<Cell>, view: View): readonly Instruction[] {
  const { namespace, name } = keyOf(object);
  const isFor = (stage: Fields): boolean => {
    const cell = fieldsIn(stage['cell']);
    return cell['namespace'] === namespace && cell['name'] === name;
  };
  // One of a form that no schema allows must not keep any Cell from being routed.
  return view.StagedBindingPolicy.list()
    .filter(({ spec }) => recordsIn(fieldsIn(spec)['stages']).some(isFor))
    .map((one) => wake('StagedBindingPolicy', keyOf(one)));
}

/** Wakes every StagedBindingPolicy; whether a Freeze is about its workload it finds out by itself. */
const wakeStaged = (view: View): readonly Instruction[] =>
  view.StagedBindingPolicy.list().map((one) => wake('StagedBindingPolicy', keyOf(one)));

type ConfigEvent = ObjectEvent<LoadBalancerConfig>;
type ConfigUpdate = Extract<ConfigEvent, { type: 'update' }>;

/** Says who has to hear of an event about an object that configures a load balancer: its Cell, or else its own workflow. */
function routeConfig(type: LoadBalancerType, event: ConfigEvent, view: View): readonly Instruction[] {
  const isMoved =
    event.type === 'add' ||
    (event.type === 'update' && placeIn(type, event.old) !== placeIn(type, event.object));
  return [
    ...routeWriter(type, event, view),
    ...(isMoved ? [{ do: 'Watch', type, place: placeIn(type, event.object) } as const] : []),
  ];
}

const placeIn = (type: LoadBalancerType, { spec }: LoadBalancerConfig): string =>
  loadBalancerKind(type).placeOf(spec);

/** Wakes the writer when the object asks for what is not applied, may take over more, is being deleted, or is gone. */
function routeWriter(type: LoadBalancerType, event: ConfigEvent, view: View): readonly Instruction[] {
  const { object: config } = event;
  const key = keyOf(config);
  const owner = controllerOf(config.metadata);
  const isOwned = owner?.kind === 'Cell';
  const cellKey = { namespace: key.namespace, name: owner?.name ?? '' };
  const cell = isOwned ? view.Cell.get(cellKey) : undefined;
  const startWriter = isOwned ? start('Cell', cellKey) : start(`${type}Config`, key);
  if (event.type === 'delete') {
    if (!isOwned) return [wake(`${type}Config`, key)];
    // A Cell that stays has its configuration made again, with the weights that are served.
    return cell === undefined || cell.metadata.deletionTimestamp !== undefined ? [] : [startWriter];
  }
  if (isOwned && isOwnWrite(event, cell)) return [];
  const isDeleted = config.metadata.deletionTimestamp !== undefined;
  const isApplied = config.metadata.generation === config.status?.observedGeneration;
  const isAllowed = event.type === 'update' && isAllowedMore(event);
  return !isApplied || isDeleted || isAllowed ? [startWriter] : [];
}

/** Whether the Cell's own workflow has written, which needs no waking: it counts its writes, and makes the object while it is at work. */
function isOwnWrite(event: Exclude<ConfigEvent, { type: 'delete' }>, cell: Cell | undefined): boolean {
  const { object: config } = event;
  if (config.metadata.deletionTimestamp !== undefined) return false;
  if (event.type === 'update') return sequenceOf(config) !== sequenceOf(event.old);
  return cell !== undefined && mayBeUnderWay(cell);
}

const sequenceOf = ({ metadata }: LoadBalancerConfig): string | undefined =>
  metadata.annotations?.[SEQUENCE_ANNOTATION];

const isAllowedMore = ({ object, old }: ConfigUpdate): boolean =>
  mayAdopt(object.metadata) && !mayAdopt(old.metadata);
