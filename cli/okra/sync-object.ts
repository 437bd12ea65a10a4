import type { Activities, Synced } from '../../activities/contract.ts';
import {
  AWS_TARGET_GROUP_BINDING,
  AWS_TARGET_GROUP_SET,
  CLUSTER_SET,
  kindOf,
  type KindRef,
} from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { SyncStatus } from '../../domain/discovery/sync-status.ts';
import { formatKey, type ObjectKey } from '../../domain/model/ids.ts';
import { exitCodes, failed } from '../okractl/shell.ts';
import { inOneLine } from '../terminal-text.ts';
import { activitiesOf, asActivity } from './activities.ts';
import { dryRunOf } from './dry-run.ts';
import type { OkraSession, OkraShell, WriteOptions } from './shell.ts';

/** A kind that one activity syncs. */
interface SyncedByOne {
  readonly kind: KindRef;
  readonly sync: (activities: Activities, key: ObjectKey) => Promise<Synced>;
}

/** The kinds that one activity syncs, by the word for them on the command line. */
export const syncedByOne = {
  clusterset: { kind: CLUSTER_SET, sync: (all, key) => all.syncClusterSet(key) },
  awstargetgroupset: { kind: AWS_TARGET_GROUP_SET, sync: (all, key) => all.syncTargetGroupSet(key) },
  awstargetgroupbinding: {
    kind: AWS_TARGET_GROUP_BINDING,
    sync: (all, key) => all.syncTargetGroupBinding(key),
  },
} as const satisfies Readonly<Record<string, SyncedByOne>>;

/** What is synced, and how. */
interface SyncRequest {
  readonly session: OkraSession;
  readonly of: SyncedByOne;
  readonly name: string;
  readonly writes: WriteOptions;
  readonly dryRun: boolean;
  /** Made before, when the command line says what the object says. */
  readonly prepare?: (session: OkraSession) => Promise<void>;
}

/** Makes one sync of an object, and says what has come of it. */
export async function syncObject(shell: OkraShell, request: SyncRequest): Promise<void> {
  const { of, name, writes, dryRun, prepare } = request;
  const { session, calls } = dryRun ? dryRunOf(request.session, shell) : { ...request, calls: [] };
  await prepare?.(session);
  const leaving = leaveOut(session.kubernetes, writes);
  const activities = await activitiesOf({ ...session, kubernetes: leaving.kubernetes });
  const key = { namespace: session.namespace, name };
  const synced = await asActivity(shell.signal, () => of.sync(activities, key)).catch((error: unknown) => {
    // What a dry run has stopped was told already.
    if (calls.length > 0) return undefined;
    throw error;
  });
  for (const one of leaving.left) shell.warn(inOneLine(one));
  if (synced === undefined) return;
  if (!synced.isPresent) throw failed(`${of.kind.kind} ${formatKey(key)} not found.`);
  // What a dry run has not written cannot be read back, so that nobody can say what it comes to.
  if (calls.length > 0) return;
  // As comments, so that what a dry run prints is YAML.
  shell.print(inOneLine(dryRun ? `# ${synced.message}` : synced.message));
  if (dryRun) return;
  const { status = {} } =
    (await session.kubernetes.get<{ readonly status?: SyncStatus }>(of.kind, key)) ?? {};
  const { problems = [] } = status;
  for (const { cluster, object, reason, message } of problems)
    shell.warn(
      inOneLine(`${[cluster, object, reason].filter((one) => one !== undefined).join(' ')}: ${message}`),
    );
  if (problems.length > leaving.left.length) shell.exitWith(exitCodes.failure);
}

/** A client that does not create, or not delete, and what it has left out. */
interface LeavingOut {
  readonly kubernetes: KubernetesClient;
  readonly left: readonly string[];
}

/** Makes a client that leaves out what the options say; the status then tells that it was left out. */
function leaveOut(kubernetes: KubernetesClient, options: WriteOptions): LeavingOut {
  const left: string[] = [];
  const refuse = (what: string, option: string): never => {
    left.push(`${what} (--${option}=false)`);
    throw new Error(`Skipped (--${option}=false).`);
  };
  return {
    left,
    kubernetes: {
      ...kubernetes,
      create: async (object, call) =>
        options.create || object.kind === 'Event'
          ? kubernetes.create(object, call)
          : refuse(`Not created: ${kindOf(object).kind} ${object.metadata.name}`, 'create'),
      delete: async (kind, key, call) =>
        options.delete
          ? kubernetes.delete(kind, key, call)
          : refuse(`Not deleted: ${kind.kind} ${key.name}`, 'delete'),
    },
  };
}
