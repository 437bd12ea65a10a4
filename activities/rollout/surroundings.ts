import { sleep } from '../../clients/backoff.ts';
import { AWS_TARGET_GROUP, ACCESS_POLICY, FREEZE, type KindRef } from '../../clients/kubernetes/kinds.ts';
import { unlessMissing, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AccessPolicy } from '../../crds/access-policy.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { Freeze } from '../../crds/freeze.ts';
import { accessOf, type Access } from '../../domain/access/access.ts';
import { areAsNewAs, type ListVersions } from '../../domain/model/observation.ts';

/** What there is around a Cell that its rollout depends on. */
export interface Surroundings {
  readonly groups: readonly AWSTargetGroup[];
  readonly freezes: readonly Freeze[];
  /** What the namespace may use; undefined: everything. */
  readonly access: Access | undefined;
  readonly versions: ListVersions;
}

type ReadList = <T>(kind: KindRef, options?: { readonly namespace?: string }) => Promise<Listed<T>>;

interface Listed<T> {
  readonly items: readonly T[];
  readonly resourceVersion?: string;
}

/** Reads what there is around the Cells of a namespace, all at once; a kind that is not installed has no objects. */
export async function readSurroundings(list: ReadList, namespace: string): Promise<Surroundings> {
  const read = async <T>(kind: KindRef, options?: { readonly namespace?: string }): Promise<Listed<T>> =>
    (await unlessMissing(list<T>(kind, options))) ?? { items: [] };
  const [groups, freezes, policies] = await Promise.all([
    read<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace }),
    read<Freeze>(FREEZE),
    read<AccessPolicy>(ACCESS_POLICY),
  ]);
  return {
    groups: groups.items,
    freezes: freezes.items,
    access: accessOf(namespace, policies.items),
    versions: {
      targetGroups: groups.resourceVersion,
      freezes: freezes.resourceVersion,
      accessPolicies: policies.resourceVersion,
    },
  };
}

/** What was read, and when that was begun, in milliseconds since 1970. */
export interface SurroundingsRead {
  readonly at: number;
  readonly read: Promise<Surroundings>;
}

/** Reads what is around Cells. A list takes 100 ms after any change, as the API server waits for etcd; so writes use a recent one. */
export type SurroundingsReader = ReturnType<typeof surroundingsReader>;

/** How old what is read may be when a write goes by it, in milliseconds. */
const RECENT_MS = 1_000;

/** Makes the reader; those who share it share what was read. */
export function surroundingsReader(
  client: Pick<KubernetesClient, 'snapshot'>,
  clock: () => number = Date.now,
) {
  const kept = new Map<string, SurroundingsRead>();
  const reading = new Map<string, SurroundingsRead>();
  const next = new Map<string, Promise<Surroundings>>();

  function begin(namespace: string): SurroundingsRead {
    const begun = { at: clock(), read: readSurroundings(client.snapshot, namespace) };
    reading.set(namespace, begun);
    const end = (): void => {
      if (reading.get(namespace) === begun) reading.delete(namespace);
    };
    begun.read.then(() => {
      end();
      kept.set(namespace, begun);
      setTimeout(() => kept.get(namespace) === begun && kept.delete(namespace), RECENT_MS).unref();
    }, end);
    return begun;
  }

  function recent(namespace: string): SurroundingsRead {
    const now = clock();
    // After the clock was set back, what was read looks as if it came from later.
    const isRecent = ({ at }: SurroundingsRead): boolean => at <= now && now - at <= RECENT_MS;
    const known = [kept.get(namespace), reading.get(namespace)];
    return known.find((one) => one !== undefined && isRecent(one)) ?? begin(namespace);
  }

  /** Many who ask while a list is read share the next one: what is under way may be older than their question. */
  function asItIsNow(namespace: string): Promise<Surroundings> {
    const underWay = reading.get(namespace);
    if (underWay === undefined) return begin(namespace).read;
    const known = next.get(namespace);
    if (known !== undefined) return known;
    const after = endOf(underWay.read).then(() => {
      next.delete(namespace);
      return begin(namespace).read;
    });
    next.set(namespace, after);
    return after;
  }

  return {
    now: asItIsNow,
    /** What was read a second ago at most, and is not older than what was seen; it is read if there is none. */
    recent: (namespace: string, seen: ListVersions | undefined): SurroundingsRead => {
      if (seen === undefined) return begin(namespace);
      const { at, read } = recent(namespace);
      const unlessOlder = async (): Promise<Surroundings> => {
        const surroundings = await read;
        return areAsNewAs(surroundings.versions, seen) ? surroundings : await begin(namespace).read;
      };
      return { at, read: unlessOlder() };
    },
  };
}

/** How long the next list waits for the one that is under way, in milliseconds: as long as that usually takes. */
const TURN_MS = 200;

async function endOf(reading: Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  const ended = reading.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([ended, sleep(TURN_MS, stop.signal)]);
  stop.abort();
}
