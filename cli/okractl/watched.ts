import { digest } from '../../clients/digest.ts';
import type { AccessPolicy } from '../../crds/access-policy.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import type { ClusterSet } from '../../crds/cluster-set.ts';
import type { Freeze } from '../../crds/freeze.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { accessOf } from '../../domain/access/access.ts';
import { refusedAmong } from '../../domain/access/forwarding-access.ts';
import { freezeAt, freezesOf, frozenNamespaces } from '../../domain/gates/freeze.ts';
import { compareText } from '../../domain/kubernetes/canonical.ts';
import { keyOf } from '../../domain/model/ids.ts';
import type { SelectedTargetGroup } from '../../domain/model/target-group.ts';
import { selectTargetGroups, watchedOf } from '../../domain/versions/watched.ts';
import type { Asked } from './describe-cell.ts';
import { formatTarget, type Target } from './target.ts';

/** What is watched of the objects of a cluster, by their keys. */
export type Watched = ReturnType<typeof nothingWatched>;

/** Begins with nothing seen yet. */
export const nothingWatched = () => ({
  cells: new Map<string, Cell>(),
  policies: new Map<string, StagedBindingPolicy>(),
  freezes: new Map<string, Freeze>(),
  /** What the configurations of load balancers ask for, by the names of their Cells. */
  asked: new Map<string, Asked>(),
  groups: new Map<string, AWSTargetGroup>(),
  sets: new Map<string, ClusterSet>(),
  /** Those of which a status is to be; none where no end is waited for. */
  accessPolicies: new Map<string, AccessPolicy>(),
  /** Why what is shown may be old, by what could not be watched. */
  troubles: new Map<string, string>(),
  /** Whether all that there is has been told. */
  isWhole: false as boolean,
});

/** Sets the value of a key, or takes the key out where it has none. */
export function setOrDelete<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

export const inOrder = <Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] =>
  [...map].toSorted(([a], [b]) => compareText(a, b));

/** The Freezes that hold now, with the namespaces that they name; undefined: all. */
export const heldFreezes = ({ freezes }: Pick<Watched, 'freezes'>, now: number) =>
  inOrder(freezes).flatMap(([, freeze]) => {
    const namespaces = frozenNamespaces(freeze.spec);
    const freezing = freezeAt(freezesOf(namespaces?.[0] ?? 'default', [freeze]), now);
    return freezing === undefined ? [] : [{ ...freezing, namespaces }];
  });

/** How the rollout that someone waits for has ended; undefined while it has not. */
export type Settled = { readonly ok: boolean; readonly message: string } | undefined;

/** Says whether an object is at rest as its spec is now, and whether it serves what it is to serve. */
export function settledOf(target: Target, object: Cell | StagedBindingPolicy | undefined): Settled {
  if (object === undefined) return { ok: false, message: `${formatTarget(target)} not found.` };
  const { status = {}, metadata } = object;
  const { phase = 'Pending', message = '', conditions = [] } = status;
  const of = (type: string) => conditions.find((one) => one.type === type);
  const decisive = target.kind === 'Cell' ? of('Progressing') : of('Ready');
  if (decisive?.observedGeneration !== metadata.generation) return undefined;
  const text = `${phase}: ${message}`;
  if (target.kind === 'Cell')
    return decisive?.status === 'False' ? { ok: of('Ready')?.status === 'True', message: text } : undefined;
  if (phase === 'Completed') return { ok: true, message: text };
  return phase === 'RolledBack' || phase === 'Failed' ? { ok: false, message: text } : undefined;
}

/** What is known of the end that someone waits for. `Old`: the status says one, but is not of what is there now. */
export type KnownEnd =
  | { readonly is: 'Ahead' }
  | { readonly is: 'Old' }
  | { readonly is: 'Here'; readonly end: NonNullable<Settled> };

/** Finds out how an object has ended, by all that is watched. */
export function endIn(target: Target, watched: Watched): KnownEnd {
  const { namespace, name } = target.key;
  const cell = watched.cells.get(`${namespace}/${name}`);
  const end = settledOf(target, target.kind === 'Cell' ? cell : watched.policies.get(name));
  if (end === undefined) return { is: 'Ahead' };
  if (target.kind !== 'Cell' || cell === undefined) return { is: 'Here', end };
  return isUpToDate(cell, watched) ? { is: 'Here', end } : { is: 'Old' };
}

/**
 * Whether the status of a Cell was made of what the Cell and its target groups are now. A Cell with applications depends on
 * Secrets as well, which okractl does not read: it always counts as up to date.
 */
function isUpToDate(cell: Cell, { groups, accessPolicies, troubles }: Watched): boolean {
  if (cell.spec.applications !== undefined) return true;
  const selected = selectTargetGroups(cell.spec, [...groups.values()]);
  const { namespace } = keyOf(cell);
  const refused = troubles.has('AccessPolicy')
    ? refusedBy(cell, selected)
    : refusedAmong(selected, accessOf(namespace, [...accessPolicies.values()]));
  return cell.status?.observedHash === digest(watchedOf(cell, selected, refused));
}

/** The ARNs that a Cell may not use, as its status has it. */
function refusedBy({ status = {} }: Cell, selected: readonly SelectedTargetGroup[]): readonly string[] {
  const rejected = (status.rejectedTargetGroups ?? []).filter(({ reason }) => reason === 'NotAllowed');
  const names = new Set(rejected.map(({ name }) => name));
  return selected.filter(({ name }) => names.has(name)).map(({ arn }) => arn);
}
