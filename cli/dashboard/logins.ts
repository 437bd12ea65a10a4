import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import type { Viewer, Viewers } from './hub.ts';

/** Makes a viewer of a token of Kubernetes; throws when the API server does not know it, or it may see nothing. */
export type Enter = (token: string, signal: AbortSignal) => Promise<Viewer>;

const HOUR = 3_600_000;
/** How many logins there are at once, and for how long. */
const usual = {
  most: 20,
  /** Of one person. */
  each: 5,
  /** After this time without a call nobody looks (a page that is looked at calls each five minutes): the login gives way to another one, when there are too many. */
  awayMs: HOUR / 6,
  /** Without a call. */
  idleMs: HOUR,
  longestMs: 12 * HOUR,
  /** How often the API server is asked whether it still knows the token. */
  askMs: 60_000,
};

interface Login {
  readonly viewer: Viewer;
  readonly stop: AbortController;
  readonly since: number;
  seen: number;
}

const bytesOf = (key: string): Buffer => createHash('sha256').update(key).digest();

const digestOf = (key: string): string => bytesOf(key).toString('hex');

/** Keeps those who have logged in, until they log out, are idle, or the API server knows their token, or lets them see what they see, no more. */
export function keepLogins(
  enter: Enter,
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
  limits = usual,
): Viewers {
  const logins = new Map<string, Login>();
  let entering = 0;
  const end = (digest: string): void => {
    logins.get(digest)?.stop.abort();
    logins.delete(digest);
  };
  const isOver = ({ since, seen }: Login): boolean =>
    now() - seen > limits.idleMs || now() - since > limits.longestMs;
  const ask = (): void => {
    for (const [digest, login] of logins) {
      if (isOver(login)) end(digest);
      else
        void isStillLetIn(login.viewer).then((isLetIn) => {
          if (!isLetIn) end(digest);
        });
    }
  };
  const makeRoom = (by: string | undefined): void => {
    const longestUnseen = [...logins].toSorted(([, a], [, b]) => a.seen - b.seen);
    const own = longestUnseen.filter(([, { viewer }]) => viewer.by === by);
    for (const [digest] of own.slice(0, Math.max(0, own.length + 1 - limits.each))) end(digest);
    const [first] = longestUnseen;
    if (logins.size >= limits.most && first !== undefined && now() - first[1].seen > limits.awayMs)
      end(first[0]);
    if (logins.size >= limits.most) throw new Error(tooMany(limits.most));
  };
  const asking = setInterval(ask, limits.askMs);
  signal.addEventListener('abort', () => {
    clearInterval(asking);
    for (const digest of logins.keys()) end(digest);
  });
  return {
    of: (key) => {
      const login = key === undefined ? undefined : logins.get(digestOf(key));
      if (login === undefined || isOver(login)) return undefined;
      login.seen = now();
      return login.viewer;
    },
    logIn: async (token) => {
      if (entering >= limits.most) throw new Error(tooMany(limits.most));
      entering += 1;
      const stop = new AbortController();
      try {
        const viewer = await enter(token, AbortSignal.any([stop.signal, signal]));
        makeRoom(viewer.by);
        const key = newKey();
        logins.set(digestOf(key), { viewer, stop, since: now(), seen: now() });
        return key;
      } catch (error) {
        stop.abort();
        throw isUnknown(error) ? new Error(INVALID_TOKEN, { cause: error }) : error;
      } finally {
        entering -= 1;
      }
    },
    logOut: (key) => end(digestOf(key)),
  };
}

const tooMany = (most: number): string =>
  `Too many logins (at most ${most}). Try again later, or log out elsewhere.`;

/** Whether Kubernetes still says that it is them, and what they may see; where it does not answer, it has said so before. */
async function isStillLetIn({ session, maySee }: Viewer): Promise<boolean> {
  try {
    await session.whoAmI();
    return (await maySee?.()) ?? true;
  } catch (error) {
    return !isUnknown(error);
  }
}

/** What is said of a token that the API server does not know. */
export const INVALID_TOKEN = 'Token not valid for this cluster, or expired.';

/** Whether the API server does not know a token. */
export const isUnknown = (error: unknown): boolean =>
  error instanceof KubernetesError && error.status === 401;

/** A key that nobody can guess. */
export const newKey = (): string => randomBytes(32).toString('base64url');

/** The one person whose credentials the page has, for whoever shows the key that was printed for them. */
export function onePerson(viewer: Viewer, key: string): Viewers {
  const digest = bytesOf(key);
  return {
    of: (shown) => (shown !== undefined && timingSafeEqual(bytesOf(shown), digest) ? viewer : undefined),
    logOut: () => undefined,
  };
}
