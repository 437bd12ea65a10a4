import { given } from '../domain/model/fields.ts';
import type { Log } from '../clients/log.ts';
import type { KindWithWorkflow } from '../crds/index.ts';
import type { AWSTargetGroup } from '../crds/aws-target-group.ts';
import { isShortened, temporalId } from '../clients/temporal/workflow-start.ts';
import { keyOf } from '../domain/model/ids.ts';
import { namedARN } from '../domain/model/target-group.ts';
import { objectWorkflowId, workedObject } from '../domain/model/workflow-ids.ts';
import type { Informed, ObjectEvent } from './event.ts';
import type { Instruction } from './instruction.ts';
import { createStores, type Shelf, type View } from './informer/store.ts';
import { isStored, replayedKinds, type KindEvent, type Stored, type Watched } from './kinds.ts';
import { route } from './routes/route.ts';

/** Keeps what is known, and says what to do about each event once everything is known. */
export type Router = ReturnType<typeof createRouter>;

/** Makes a router that hands its instructions over. */
export function createRouter(dispatch: (instruction: Instruction) => void, log: Log) {
  const told = new WeakSet<Informed>();
  function leaveOut(kind: Stored, object: Informed, error: unknown): void {
    // It is read with every event, and may stay as it is for years.
    if (told.has(object)) return;
    told.add(object);
    log.error({ kind, ...nameOf(object), err: error }, 'object left out');
  }
  const stores = createStores(leaveOut);

  function sayUnnamed({ type, object }: ObjectEvent<AWSTargetGroup>): void {
    if (type === 'delete' || namedARN(object) !== undefined) return;
    leaveOut('AWSTargetGroup', object, new Error('spec.arn not found.'));
  }

  let isComplete = false;

  function learn<Kind extends Stored>({ kind, event }: KindEvent<Kind>): void {
    stores[kind].apply(event);
  }

  function send<Kind extends Watched>(happened: KindEvent<Kind>): void {
    const of = { kind: happened.kind, ...nameOf(happened.event.object), event: happened.event.type };
    try {
      for (const instruction of route(happened, stores)) {
        log.debug({ ...of, instruction }, 'event routed');
        dispatch(instruction);
      }
    } catch (error) {
      // An object of a form that no schema allows must not stop the others.
      log.error({ ...of, err: error }, 'event not routed');
    }
  }

  function replayKind<Kind extends Stored>(kind: Kind): void {
    for (const object of stores[kind].list()) send({ kind, event: { type: 'add', object } });
  }

  /** The object that a workflow of this id works for, if there is one; undefined when the id is of no such workflow. */
  function objectOf(
    workflowId: string,
  ): { readonly kind: KindWithWorkflow; readonly object: Informed | undefined } | undefined {
    const worked = workedObject(workflowId);
    if (worked === undefined) return undefined;
    const { kind, key } = worked;
    const objects: Shelf<Informed> = stores[kind.kind];
    if (!isShortened(workflowId)) return { kind, object: objects.get(key) };
    const idOf = (object: Informed): string => temporalId(objectWorkflowId(kind.kind, keyOf(object)));
    const [object] = objects.list(key.namespace).filter((one) => idOf(one) === workflowId);
    return { kind, object };
  }

  return {
    view: stores as View,
    take: (happened: KindEvent): void => {
      if (isStored(happened)) learn(happened);
      if (happened.kind === 'AWSTargetGroup') sayUnnamed(happened.event);
      if (isComplete) send(happened);
    },
    /** Routes everything that is known as if it were seen for the first time, and every event from now on. */
    replay: (): void => {
      isComplete = true;
      for (const kind of replayedKinds) replayKind(kind);
      // AWSTargetGroups are not replayed: each Cell has just been compared with all of them, and their check is started
      // once for each namespace.
      for (const namespace of new Set(stores.AWSTargetGroup.list().map((group) => keyOf(group).namespace)))
        dispatch({ do: 'CheckTargetGroups', namespace });
    },
    objectOf,
  };
}

const nameOf = ({ metadata }: Informed) => ({
  name: metadata.name,
  ...given({ namespace: metadata.namespace }),
});
