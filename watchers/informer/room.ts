import type { Sleep } from '../../clients/backoff.ts';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';

/** The room that one watch takes up, in characters of what is kept as JSON. */
export interface Room {
  /** Says how much is kept; throws a KubernetesError where that is too much, and leaves it as it was. */
  keep(characters: number): void;
  /** Says how much has been listed that may take the place of what is kept; the larger of both counts. */
  list(characters: number): void;
}

/** Whose room it is. */
export interface Tenant {
  /** The namespace of the secret. */
  readonly namespace: string;
  /** The uid of the secret, with the key where it may name several clusters. */
  readonly cluster: string;
  readonly name: string;
}

/** How much may be kept. */
export interface RoomLimits {
  readonly cluster: number;
  readonly namespace: number;
}

/** What 10,000 nodes do not reach; and as much for all clusters of a namespace that a process has room for beside those of others. */
const usual: RoomLimits = { cluster: 32_000_000, namespace: 64_000_000 };

/** Gives one more watch of a tenant its room. */
export type Rooms = (tenant: Tenant) => Room;

/** Makes the account of what is kept of clusters that others run, so that no namespace takes up the room of all others. */
export function createRooms(limits: RoomLimits = usual): Rooms {
  const taken = new Map<string, number>();
  const takenBy = (whose: string): number => taken.get(whose) ?? 0;

  return ({ namespace, cluster, name }) => {
    const accounts = [
      { whose: `cluster ${cluster}`, of: `cluster ${name}`, most: limits.cluster },
      {
        whose: `namespace ${namespace}`,
        of: `the clusters of namespace ${namespace}`,
        most: limits.namespace,
      },
    ];
    let kept = 0;
    let listed = 0;
    const change = (nextKept: number, nextListed: number): void => {
      const by = Math.max(nextKept, nextListed) - Math.max(kept, listed);
      const full = by > 0 ? accounts.find(({ whose, most }) => takenBy(whose) + by > most) : undefined;
      if (full !== undefined) throw tooMuch(full);
      [kept, listed] = [nextKept, nextListed];
      for (const { whose } of accounts) {
        const now = takenBy(whose) + by;
        if (now === 0) taken.delete(whose);
        else taken.set(whose, now);
      }
    };
    return {
      keep: (characters) => change(characters, listed),
      list: (characters) => change(kept, characters),
    };
  };
}

const TOO_MUCH = 'TooMuchKept';

// To list all of it again and again, for nothing, would keep the process busy.
const AGAIN_MILLISECONDS = 300_000;

/** Waits, after a watch that there was no room for, until it may be tried again. */
export async function waitForRoom(error: unknown, sleep: Sleep, signal: AbortSignal): Promise<void> {
  if (error instanceof KubernetesError && error.reason === TOO_MUCH) await sleep(AGAIN_MILLISECONDS, signal);
}

const tooMuch = ({ of, most }: { readonly of: string; readonly most: number }): KubernetesError =>
  new KubernetesError({
    status: 0,
    reason: TOO_MUCH,
    message: `Expected to keep at most ${most} characters of ${of}, got more. What is not watched is read once per interval; look for objects that do not belong there, or name fewer namespaces and clusters.`,
  });
