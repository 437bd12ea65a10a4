import { CELL } from '../../clients/kubernetes/kinds.ts';
import { digest } from '../../clients/digest.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import {
  cell as cellKind,
  type Cell,
  type CellSpec,
  type CellStatus,
  type WrittenCellSpec,
} from '../../crds/cell.ts';
import { targetGroupSelector } from '../../crds/common.ts';
import { hasApplicationOf, heldBehind } from '../../domain/applications/holds.ts';
import { withRefusals } from '../../domain/access/forwarding-access.ts';
import { unreadyClusters } from '../../domain/gates/gate.ts';
import { freezesOf, longest } from '../../domain/gates/freeze.ts';
import { controllerOf } from '../../domain/kubernetes/conditions.ts';
import type { LoadBalancerConfigView } from '../../domain/load-balancers/load-balancer-config.ts';
import { loadBalancerTypes, routeOf, targetGroupsOf } from '../../domain/load-balancers/load-balancer.ts';
import { given } from '../../domain/model/fields.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import type { ObservedCell } from '../../domain/model/observation.ts';
import { namedARN, type SelectedTargetGroup } from '../../domain/model/target-group.ts';
import { selectorOf } from '../../domain/versions/version-label.ts';
import { mayAdopt, readAsServed, selectTargetGroups, watchedInput } from '../../domain/versions/watched.ts';
import {
  configViewOf,
  isApplied,
  isByHandElsewhere,
  isOwnedByCell,
  readConfig,
} from '../load-balancers/config-object.ts';
import { readSurroundings, type Surroundings } from './surroundings.ts';

type Reader = Pick<KubernetesClient, 'get' | 'list'>;

/** Reads the Cell, and all that its rollout depends on. */
export async function observeCell(
  kubernetes: Reader,
  key: ObjectKey,
  readAround: (namespace: string) => Promise<Surroundings> = aroundBy(kubernetes),
): Promise<ObservedCell> {
  const cell = await kubernetes.get<Cell>(CELL, key);
  if (cell === undefined) return observeWithoutCell(kubernetes, key);
  if (cell.spec.applications !== undefined) return { ...nothingOf(key), hasApplications: true };
  const [around, config, parent] = await Promise.all([
    readAround(key.namespace),
    readConfigOf(kubernetes, cell, key),
    readParent(kubernetes, cell, key),
  ]);
  return observedFrom({ around, cell, parent }, config, key);
}

const aroundBy =
  (kubernetes: Reader) =>
  (namespace: string): Promise<Surroundings> =>
    readSurroundings(async (kind, options) => ({ items: await kubernetes.list(kind, options) }), namespace);

/** What a look at a Cell is made of, besides its configuration object. */
export interface CellSources {
  readonly cell: Cell;
  readonly around: Surroundings;
  /** The Cell with applications that this one moves traffic for. */
  readonly parent: Cell | undefined;
}

async function readParent(kubernetes: Reader, { metadata }: Cell, { namespace }: ObjectKey) {
  const owner = controllerOf(metadata);
  if (owner?.kind !== 'Cell') return undefined;
  const parent = await kubernetes.get<Cell>(CELL, { namespace, name: owner.name });
  return parent?.metadata.uid === owner.uid ? parent : undefined;
}

/** Reads the Cell, the Cell that it belongs to, and what is around it; undefined where there is no Cell, or one with applications. */
export async function readSources(
  kubernetes: Reader,
  key: ObjectKey,
  surroundings: Promise<Surroundings>,
): Promise<CellSources | undefined> {
  const reading = kubernetes.get<Cell>(CELL, key);
  const [cell, around, parent] = await Promise.all([
    reading,
    surroundings,
    reading.then((found) => found && readParent(kubernetes, found, key)),
  ]);
  if (cell === undefined || cell.spec.applications !== undefined) return undefined;
  return { around, cell, parent };
}

/** Says what was observed of a Cell, from what was read. */
export function observedFrom(
  { cell, parent, around: { groups, freezes, access, versions } }: CellSources,
  config: LoadBalancerConfigView | undefined,
  key: ObjectKey,
): ObservedCell {
  const configured = observedConfig(config);
  const unready = parent === undefined ? [] : unreadyClusters(parent);
  const behind = parent === undefined ? undefined : heldBehind(parent, key.name);
  const inRule = [...configured.weighted, ...(configured.desired ?? [])];
  const status = cell.status ?? {};
  const readable = readAsServed(groups, [...inRule, ...(status.targetGroups ?? [])]);
  const parsed = cellKind.parse(cell);
  const selected =
    parsed.ok || isSelecting(cell)
      ? selectTargetGroups(cell.spec, readable)
      : servedBefore(status, namedBy(readable));
  const seen = {
    ...configured,
    key,
    digest: digest(watchedInput(cell, groups, access)),
    selected: withRefusals(selected, access, inRule),
    freezes: longest(freezesOf(key.namespace, freezes)),
    ...(parent && unready.length > 0 && { waitsFor: { cell: parent.metadata.name, clusters: unready } }),
    ...(parent && behind && { behind: { cell: parent.metadata.name, ...behind } }),
    listVersions: versions,
  };
  if (cell.metadata.deletionTimestamp !== undefined) return seen;
  return {
    ...seen,
    cell: {
      uid: cell.metadata.uid ?? '',
      generation: cell.metadata.generation ?? 0,
      resourceVersion: cell.metadata.resourceVersion,
      spec: withIngress(parsed.ok ? parsed.value : readableSpec(cell.spec)),
      status,
      problems: parsed.ok ? [] : parsed.problems,
      // The rule of an application that was removed or renamed may belong to another application by now.
      adopt: mayAdopt(cell.metadata) && (parent === undefined || hasApplicationOf(parent, key.name)),
    },
  };
}

const isSelecting = ({ spec }: Cell): boolean => targetGroupSelector.safeParse(selectorOf(spec)).success;

/** What serves and is still there counts as selected where nobody can read what is; as gone, it would end the rollout with its canary. */
const servedBefore = (
  { targetGroups = [] }: CellStatus,
  named: ReadonlySet<string>,
): readonly SelectedTargetGroup[] =>
  targetGroups
    .filter(({ arn }) => named.has(arn))
    .map(({ name, arn, version }) => ({ name, arn, ...given({ version }) }));

/** The target groups that an AWSTargetGroup names; one that is being deleted counts as gone. */
const namedBy = (groups: readonly AWSTargetGroup[]): ReadonlySet<string> =>
  new Set(
    groups.flatMap((group) =>
      group.metadata.deletionTimestamp === undefined ? (namedARN(group) ?? []) : [],
    ),
  );

/** The API server may have let a Cell pass that has none; the problems with its spec say so. */
const withIngress = (spec: WrittenCellSpec): CellSpec => ({ ...spec, ingress: spec.ingress ?? { type: '' } });

/** What is left of a Cell that is gone: a configuration object that stays until what it has made is deleted. */
async function observeWithoutCell(kubernetes: Reader, key: ObjectKey): Promise<ObservedCell> {
  const nothing = nothingOf(key);
  for (const type of loadBalancerTypes) {
    const config = await readConfig(kubernetes, { type, key });
    if (config === undefined || !isOwnedByCell(config)) continue;
    const { deletion } = configViewOf({ type, key }, config);
    if (deletion.isUnderWay && deletion.isHeld) return { ...nothing, deletion, configType: type };
  }
  return nothing;
}

const NO_CONFIG = { weighted: [], sequence: 0, isApplied: true } as const;

const nothingOf = (key: ObjectKey): ObservedCell => ({
  key,
  digest: '',
  selected: [],
  freezes: [],
  ...NO_CONFIG,
});

async function readConfigOf(
  kubernetes: Reader,
  { spec }: Cell,
  key: ObjectKey,
): Promise<LoadBalancerConfigView | undefined> {
  const route = routeOf(spec);
  if (route === undefined) return undefined;
  const ref = { type: route.type, key };
  const object = await readConfig(kubernetes, ref);
  // The Cell neither continues from, nor moves, a rule that someone serves by hand elsewhere.
  return object === undefined || isByHandElsewhere(ref, object, route)
    ? undefined
    : configViewOf(ref, object);
}

/** What a Cell's configuration object says; one that is deleted and waits to be let go says nothing any more, and one that others keep still counts. */
function observedConfig(
  config: LoadBalancerConfigView | undefined,
): Pick<
  ObservedCell,
  'weighted' | 'desired' | 'observedForwarding' | 'deletion' | 'sequence' | 'isApplied' | 'configType'
> {
  if (config === undefined) return NO_CONFIG;
  const { deletion, desired, sequence = 0 } = config;
  const common = { sequence, deletion, configType: desired.type };
  if (deletion.isUnderWay && deletion.isHeld) return { ...NO_CONFIG, ...common };
  const { observed } = config.status;
  const known = { ...common, desired: targetGroupsOf(desired), isApplied: isApplied(config) };
  return observed === undefined
    ? { ...NO_CONFIG, ...known }
    : { ...known, weighted: targetGroupsOf(observed), observedForwarding: observed };
}

/** What counts of an invalid spec: each valid field, defaults for the others, and the load balancer as written; so an unknown step stops no decision. */
export function readableSpec(spec: WrittenCellSpec): WrittenCellSpec {
  const fields = Object.entries(cellKind.spec.shape).flatMap(([name, schema]) => {
    const written: unknown = Reflect.get(spec, name);
    const read = [written, undefined].map((value) => schema.safeParse(value)).find(({ success }) => success);
    return read?.data === undefined ? [] : [[name, read.data] as const];
  });
  const { ingress } = spec;
  // Each field was parsed by its own schema.
  return { ...given({ ingress }), ...Object.fromEntries(fields) } as WrittenCellSpec;
}
