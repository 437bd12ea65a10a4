import { compareText } from '../../kubernetes/canonical.ts';

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
