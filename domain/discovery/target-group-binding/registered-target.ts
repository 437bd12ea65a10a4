import { compareText } from '../../kubernetes/canonical.ts';
import { cut } from '../../text.ts';
import { LONGEST_CLUSTER_NAME, type KnownCluster } from '../clusters/known-cluster.ts';

/** A target as ELBv2 knows it. */
export interface Registration {
  readonly id: string;
  readonly port: number;
}

/** What an object has registered under one name, as its status says it. */
export interface RegisteredTarget {
  readonly name: string;
  readonly port: number;
  readonly ids?: readonly string[] | undefined;
  readonly clusters?: readonly string[] | undefined;
  /** Which ids were found in which cluster, so that those of one that cannot be read are known. */
  readonly byCluster?: readonly IdsOfCluster[] | undefined;
}

/** A cluster as a status says it. */
export interface NamedCluster {
  readonly cluster: string;
  /** What no other cluster has, whatever it is called; undefined when nobody knows it. */
  readonly id?: string | undefined;
}

/** The ids that were found in a cluster. */
export interface IdsOfCluster extends NamedCluster {
  readonly ids: readonly string[];
}

/** Whether two may be one cluster under two names, as far as their ids say it. */
export const mayBeSame = (one: Pick<NamedCluster, 'id'>, other: Pick<NamedCluster, 'id'>): boolean =>
  one.id === undefined || other.id === undefined || one.id === other.id;

/** Leaves of what is registered only some ids. */
export function onlyIds(target: RegisteredTarget, holds: (id: string) => boolean): RegisteredTarget {
  const { ids = [], byCluster } = target;
  if (byCluster === undefined) return { ...target, ids: ids.filter(holds) };
  return {
    ...target,
    ids: ids.filter(holds),
    byCluster: byCluster.map((one) => ({ ...one, ids: one.ids.filter(holds) })),
  };
}

/** Spells what is registered under a name as ELBv2 knows it. */
export const registrationsOf = ({ ids = [], port }: RegisteredTarget): readonly Registration[] =>
  ids.map((id) => ({ id, port }));

/** Spells a target in one word; two are the same when that is. */
export const targetTextOf = ({ id, port }: Registration): string => `${id}:${port}`;

/** Spells targets so, each once. */
export const textsOf = (some: readonly Registration[]): ReadonlySet<string> =>
  new Set(some.map(targetTextOf));

/** Leaves each target once, in an order that stays. */
export const unique = (registrations: readonly Registration[]): readonly Registration[] =>
  [...new Map(registrations.map((one) => [targetTextOf(one), one])).values()].toSorted((a, b) =>
    compareText(targetTextOf(a), targetTextOf(b)),
  );

/** Where an object has registered what, as its status says it. */
export interface Entry {
  readonly targetGroupARN?: string | undefined;
  /** Whether the object has created it. */
  readonly created?: boolean | undefined;
  readonly targets: readonly RegisteredTarget[];
}

/** The result of registering and deregistering. */
export interface BindingOutcome {
  /** What AWS has refused to register. */
  readonly refused: readonly Registration[];
  /** What was to be deregistered, and may still be registered. */
  readonly remaining: readonly Registration[];
}

/** Says what an object has registered after all: without what was refused, and with what is not deregistered yet. */
export function recordOf(
  {
    claim,
    targets,
  }: { readonly claim: readonly RegisteredTarget[]; readonly targets: readonly RegisteredTarget[] },
  { refused, remaining }: BindingOutcome,
): readonly RegisteredTarget[] {
  const isIn = (some: readonly Registration[], port: number) => (id: string) =>
    some.some((one) => one.id === id && one.port === port);
  // What is leaving stands in the claim after what is wanted.
  const leaving = claim
    .slice(targets.length)
    .map((target) => onlyIds(target, isIn(remaining, target.port)))
    .filter(({ ids = [] }) => ids.length > 0);
  return [...targets.map((target) => onlyIds(target, (id) => !isIn(refused, target.port)(id))), ...leaving];
}

/** How many targets an object has registered, each counted once. */
export const countOf = (targets: readonly RegisteredTarget[]): number =>
  textsOf(targets.flatMap(registrationsOf)).size;

type Named = Pick<KnownCluster, 'name' | 'id'>;

/**
 * Has what was registered of a cluster be of the one that has its id by now, whatever that is called; and when another
 * has got its name, of one that is missing: what that has under the same names and labels are other targets.
 */
export const withFormerNames = (
  targets: readonly RegisteredTarget[],
  clusters: readonly Named[],
): readonly RegisteredTarget[] =>
  targets.map((target) =>
    target.byCluster === undefined
      ? target
      : { ...target, byCluster: target.byCluster.map((one) => renamed(one, clusters)) },
  );

function renamed(one: IdsOfCluster, clusters: readonly Named[]): IdsOfCluster {
  const { cluster, id } = one;
  if (id === undefined) return one;
  const same = clusters.filter((known) => known.id === id);
  const [first] = same;
  if (first !== undefined)
    return same.some(({ name }) => name === cluster) ? one : { ...one, cluster: first.name };
  const others = clusters.filter(({ name }) => name === cluster);
  // Of a secret that someone has written nobody knows whether it is still of the same cluster.
  const isOther = others.length > 0 && others.every((known) => known.id !== undefined);
  return isOther ? { ...one, cluster: cut(`${cluster} (${id})`, LONGEST_CLUSTER_NAME) } : one;
}
