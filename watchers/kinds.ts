import type { KindRef } from '../clients/kubernetes/kinds.ts';
import { resources, type ObjectOf, type WatchedKind } from '../crds/index.ts';
import type { KindTraits } from '../crds/resource.ts';
import { kindsWithWorkflow, type WorkflowKind } from '../domain/model/workflow-ids.ts';
import type { ObjectEvent } from './event.ts';
import { foreignKinds, type ForeignKind, type ForeignObjects } from './foreign.ts';

/** The name of a kind that watchers look at. */
export type Watched = WatchedKind | ForeignKind;

/** The objects of each kind that watchers look at. */
export type Objects = { readonly [Kind in WatchedKind]: ObjectOf<Kind> } & ForeignObjects;

/** What happened, and to an object of which kind. */
export type KindEvent<Kind extends Watched = Watched> = {
  readonly [Each in Kind]: { readonly kind: Each; readonly event: ObjectEvent<Objects[Each]> };
}[Kind];

type StoredForeign = {
  [Kind in ForeignKind]: (typeof foreignKinds)[Kind]['isStored'] extends true ? Kind : never;
}[ForeignKind];

type ReplayedForeign = {
  [Kind in ForeignKind]: (typeof foreignKinds)[Kind]['isReplayed'] extends true ? Kind : never;
}[ForeignKind];

/** The name of a kind whose objects watchers remember. */
export type Stored = WatchedKind | StoredForeign;

/** Whether an event is about an object that watchers remember. */
export const isStored = (happened: KindEvent): happened is KindEvent<Stored> =>
  !isForeign(happened.kind) || foreignKinds[happened.kind].isStored;

/** A kind to watch. */
export interface Source {
  readonly kind: KindRef;
  readonly labelSelector?: string;
  /** Whether Okra can do without the kind. */
  readonly optional: boolean;
}

const own: readonly (KindRef & KindTraits)[] = resources;

/** Every kind that watchers look at: those of the table of kinds that are to be watched, and those of others. */
export const sources: readonly Source[] = [
  ...own
    .filter(({ watched }) => watched !== undefined)
    .map((kind) => ({ kind, optional: kind.watched === 'Optional' })),
  ...Object.values(foreignKinds).map(({ ref: kind, ...rest }) => ({ kind, ...rest, optional: true })),
];

/** Every kind whose objects watchers remember. */
export const storedKinds: readonly Stored[] = sources
  .map(({ kind }) => kind.kind)
  .filter((kind): kind is Stored => !isForeign(kind) || foreignKinds[kind].isStored);

/** Every kind whose objects count as added when the watchers begin, and from time to time: those with a workflow of their own, which may be lost, and what may have ended unseen. */
export const replayedKinds: readonly (WorkflowKind | ReplayedForeign)[] = [
  ...kindsWithWorkflow.map(({ kind }) => kind),
  ...Object.keys(foreignKinds).filter(
    (kind): kind is ReplayedForeign => isForeign(kind) && foreignKinds[kind].isReplayed,
  ),
];

function isForeign(kind: string): kind is ForeignKind {
  return Object.hasOwn(foreignKinds, kind);
}
