import type { Log } from '../clients/log.ts';
import type { AWSTargetGroup } from '../crds/aws-target-group.ts';
import { isShortened, temporalId } from '../clients/temporal/workflow-id.ts';
import { keyOf } from '../domain/model/ids.ts';
import { namedARN } from '../domain/model/target-group.ts';
import { objectWorkflowId, workedObject } from '../domain/model/workflow-ids.ts';
import type { Informed, ObjectEvent } from './event.ts';
import type { Instruction } from './instruction.ts';
import { createStores, type Shelf, type View } from './informer/store.ts';
import { isStored, replayedKinds, type KindEvent, type Stored, type Watched } from './kinds.ts';
import { route } from './routes/route.ts';

/** Keeps what is known, and says what to do about each event once everything is known. */
export interface Router {
  /** All that is known. */
  readonly view: View;
  /** Learns of an event, and routes it unless there is more to learn first. */
  take(happened: KindEvent): void;
  /** Routes everything that is known as if it were seen for the first time, and every event from now on. */
  replay(): void;
  /** Whether there is the object that a workflow of this id works for; undefined when the id is of no such workflow. */
  knows(workflowId: string): boolean | undefined;
}

/** Makes a router that hands its instructions over. */
export function createRouter(dispatch: (instruction: Instruction) => void, log: Log): Router {
  const told = new WeakSet<Informed>();
  function leaveOut(kind: Stored, object: Informed, error: unknown): void {
    // It is read with every event, and may stay as it is for years.
    if (told.has(object)) return;
    told.add(object);
    log.error({ kind, ...nameOf(object), err: error }, 'object left out');
  }
  const stores = createStores(leaveOut);

  /** Says which AWSTargetGroup Cells go on without. */
  function sayUnnamed({ type, object }: ObjectEvent<AWSTargetGroup>): void {
    if (type === 'delete' || namedARN(object) !== undefined) return;
    leaveOut('AWSTargetGroup', object, new Error('Expected spec.arn, got none.'));
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

  function replay(): void {
    isComplete = true;
    replayedKinds.forEach(replayKind);
    // AWSTargetGroups are not replayed: each Cell has just been compared with all of them, and their check is started
    // once for each namespace.
    for (const namespace of new Set(stores.AWSTargetGroup.list().map((group) => keyOf(group).namespace))) {
      dispatch({ do: 'CheckTargetGroups', namespace });
    }
  }

  return {
    view: stores,
    take: (happened) => {
      if (isStored(happened)) learn(happened);
      if (happened.kind === 'AWSTargetGroup') sayUnnamed(happened.event);
      if (isComplete) send(happened);
    },
    replay,
    knows: (workflowId) => {
      const worked = workedObject(workflowId);
      if (worked === undefined) return undefined;
      const { kind, key } = worked;
      const objects: Shelf<Informed> = stores[kind.kind];
      if (!isShortened(workflowId)) return objects.get(key) !== undefined;
      const idOf = (object: Informed): string => temporalId(objectWorkflowId(kind.kind, keyOf(object)));
      return objects.list(key.namespace).some((object) => idOf(object) === workflowId);
    },
  };
}

const nameOf = ({ metadata }: Informed) => ({
  name: metadata.name,
  ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
});
