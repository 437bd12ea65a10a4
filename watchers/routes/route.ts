import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Freeze } from '../../crds/freeze.ts';
import type { SyncedKind } from '../../crds/index.ts';
import { digest } from '../../clients/digest.ts';
import { accessOf } from '../../domain/access/access.ts';
import { isAboutNamespace } from '../../domain/gates/freeze.ts';
import { keyOf } from '../../domain/model/ids.ts';
import { objectWorkflowId, syncedKindNamed } from '../../domain/model/workflow-ids.ts';
import {
  loadBalancerTypes,
  routeOf,
  type LoadBalancerType,
} from '../../domain/load-balancers/load-balancer.ts';
import { matches } from '../../domain/kubernetes/selector.ts';
import { selectorOf } from '../../domain/versions/version-label.ts';
import { isTakenOtherwise, watchedInput } from '../../domain/versions/watched.ts';
import { conditionOf, mayBeUnderWay, routeSynced } from './route-synced.ts';
import type { ObjectEvent } from '../event.ts';
import { ignore, type Instruction } from '../instruction.ts';
import { ANY, labelWords, type View } from '../informer/store.ts';
import type { KindEvent, Objects, Watched } from '../kinds.ts';
import {
  routeAnalysisRun,
  routeExperiment,
  routeJob,
  routeReplicaSet,
  routeTemplate,
} from './route-measurement.ts';
import { routeAccessPolicy } from './route-access-policy.ts';
import {
  applicationsDigest,
  hasApplications,
  routeApplication,
  routeApplicationSet,
  routeRevision,
  startParent,
  wakeChildren,
} from './route-applications.ts';
import { routeCheck } from './route-check.ts';
import { routeConfig } from './route-config.ts';
import { routeStaged, routeStagedCell, routeStagedPart, wakeStaged } from './route-staged.ts';
import { routeBinding, routeGroupCheck } from './route-target-group.ts';
import { decodeBase64 } from '../../clients/kubernetes/base64.ts';
import type { StoredClusterSecret } from '../../clients/kubernetes/remote-clusters.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import { readKnownCluster } from '../../domain/discovery/clusters/known-cluster.ts';
import { setLooksInto, targetLooksInto } from '../../domain/discovery/target-group-set/looks-into.ts';

/** Says who has to hear that the secret of a cluster came, changed or went: whoever looks into the cluster, or did. */
function routeSecret(event: ObjectEvent<StoredClusterSecret>, view: View): readonly Instruction[] {
  const { object } = event;
  if (event.type === 'update' && saysOf(object) === saysOf(event.old)) return ignore('unchanged');
  const { namespace } = keyOf(object);
  const clusters = (event.type === 'update' ? [object, event.old] : [object]).map((one) =>
    readKnownCluster(one, decodeBase64),
  );
  const sets = view.AWSTargetGroupSet.list(namespace).filter(({ spec }) =>
    clusters.some((cluster) => setLooksInto(spec, cluster)),
  );
  const bindings = view.AWSTargetGroupBinding.list(namespace).filter(({ spec }) =>
    spec.targets.some((target) => clusters.some((cluster) => targetLooksInto(target, cluster))),
  );
  const instructions: Instruction[] = [
    ...sets.map((set): Instruction => ({ do: 'Start', kind: 'AWSTargetGroupSet', key: keyOf(set) })),
    ...bindings.map((one): Instruction => ({ do: 'Start', kind: 'AWSTargetGroupBinding', key: keyOf(one) })),
    ...(event.type === 'delete' ? makersOf(object, view) : []),
  ];
  return instructions.length > 0 ? instructions : ignore('nobody looks into the cluster');
}

const saysOf = ({ metadata, data }: StoredClusterSecret): string =>
  canonical([data ?? {}, metadata.labels ?? {}, metadata.annotations ?? {}]);

/** Starts the workflows of the ClusterSets that may make a deleted secret: its own, and any that it stood in the way of. */
function makersOf(object: StoredClusterSecret, view: View): readonly Instruction[] {
  const { namespace } = object.metadata;
  const owner = controllerOf(object.metadata);
  const own = owner?.kind === 'ClusterSet' ? [owner.name] : [];
  const others = view.ClusterSet.list(namespace).map(({ metadata }) => metadata.name);
  return [...new Set([...own, ...others])].map((name) => ({
    do: 'Start',
    kind: 'ClusterSet',
    key: { namespace, name },
  }));
}

type Route<Kind extends Watched> = (event: ObjectEvent<Objects[Kind]>, view: View) => readonly Instruction[];

/** A kind whose events go to its own workflow, or to that of its Cell: all of them are routed alike. */
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
  Secret: (event, view) => told([...routeSecret(event, view), ...startParent(event, view)]),
  Application: routeApplication,
  ApplicationSet: routeApplicationSet,
  ControllerRevision: routeRevision,
  Freeze: (event, view) => [...routeFreeze(event, view), ...wakeStaged(view)],
  StagedBindingPolicy: routeStaged,
  BindingPolicy: routeStagedPart,
  Binding: routeStagedPart,
  CombinedStatus: routeStagedPart,
  AccessPolicy: (event, view) =>
    routeAccessPolicy(event, view, (cell) => isNews(cell, view) || mayBeUnderWay(cell)),
  AnalysisRun: routeAnalysisRun,
  Experiment: routeExperiment,
  Job: routeJob,
  ReplicaSet: routeReplicaSet,
  AnalysisTemplate: routeTemplate,
  ClusterAnalysisTemplate: routeTemplate,
};

/** That there is nothing to tell one is not worth a word when there is something to tell another. */
const told = (all: readonly Instruction[]): readonly Instruction[] => {
  const some = all.filter((one) => one.do !== 'Ignore');
  return some.length > 0 ? some : all;
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
  if (type === 'delete')
    return [{ do: 'Signal', workflowId: objectWorkflowId('Cell', key), signal: 'changed' }];
  const lacks = type === 'add' && (isLeftOver(cell) || lacksConfig(cell, view));
  return lacks || isNews(cell, view) ? [{ do: 'Start', kind: 'Cell', key }] : ignore('unchanged');
}

/** A Cell that comes, goes, or names another listener or other groups may make a target group one that another load balancer holds. */
function routeCellCheck(event: ObjectEvent<Cell>, view: View): readonly Instruction[] {
  const { namespace } = keyOf(event.object);
  const isOther = isAboutSelection(event) && view.AWSTargetGroup.list(namespace).length > 0;
  return isOther ? [{ do: 'CheckTargetGroups', namespace }] : [];
}

function isAboutSelection(event: ObjectEvent<Cell>): boolean {
  switch (event.type) {
    case 'add':
      // One that has a status was seen before, and its groups are checked when they are.
      return event.object.status === undefined;
    case 'update':
      return event.object.metadata.generation !== event.old.metadata.generation;
    case 'delete':
      return true;
  }
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

/** What is said of each of the Cells that select a target group, which are each read alone. */
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
  const versions = event.type === 'update' ? [event.object, event.old] : [event.object];
  const selecting = ofCellsFor(versions, view, (cell) => ({
    key: keyOf(cell),
    isConcerned: isTakenOtherwise(cell.spec, versions) && isNews(cell, view),
  }));
  if (selecting.length === 0) return ignore('no Cell selects it');
  const concerned = selecting.filter(({ isConcerned }) => isConcerned);
  if (concerned.length === 0) return ignore('unchanged');
  return concerned.map(({ key }) => ({ do: 'Start', kind: 'Cell', key }));
}

/** A rollout that is under way looks again when a Freeze comes, changes or goes; one that begins later sees it anyhow. */
function routeFreeze(event: ObjectEvent<Freeze>, view: View): readonly Instruction[] {
  const specs = event.type === 'update' ? [event.object.spec, event.old.spec] : [event.object.spec];
  const concerned = view.Cell.list().filter(
    (cell) => specs.some((spec) => isAboutNamespace(spec, keyOf(cell).namespace)) && mayBeUnderWay(cell),
  );
  if (concerned.length === 0) return ignore('no rollout is under way');
  return concerned.map((cell) => ({
    do: 'Signal',
    workflowId: objectWorkflowId('Cell', keyOf(cell)),
    signal: 'changed',
  }));
}
