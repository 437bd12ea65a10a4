import { createHash } from 'node:crypto';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { newKey } from './keys.ts';
import type { Viewer, Viewers } from './viewer.ts';

/** Makes a viewer of a token of Kubernetes; throws when the API server does not know it, or it may see nothing. */
export type Enter = (token: string, signal: AbortSignal) => Promise<Viewer>;

/** How many are logged in at once, and for how long. */
export interface LoginLimits {
  readonly most: number;
  /** Without a call. */
  readonly idleMs: number;
  readonly longestMs: number;
  /** How often the API server is asked whether it still knows the token. */
  readonly askMs: number;
}

const HOUR = 3_600_000;
const usual: LoginLimits = { most: 20, idleMs: HOUR, longestMs: 12 * HOUR, askMs: 60_000 };

interface Login {
  readonly viewer: Viewer;
  readonly stop: AbortController;
  readonly since: number;
  seen: number;
}

const digestOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** Keeps those who have logged in, until they log out, are idle, or the API server knows their token no more. */
export function keepLogins(
  enter: Enter,
  { now, signal }: { readonly now: () => number; readonly signal: AbortSignal },
  limits: LoginLimits = usual,
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
        void login.viewer.session.whoAmI().catch((error: unknown) => {
          if (isUnknown(error)) end(digest);
        });
    }
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
      if (logins.size + entering >= limits.most)
        throw new Error(`Expected at most ${limits.most} people at once, got more. Try again later.`);
      entering += 1;
      const stop = new AbortController();
      try {
        const viewer = await enter(token, stop.signal);
        const key = newKey();
        logins.set(digestOf(key), { viewer, stop, since: now(), seen: now() });
        return key;
      } catch (error) {
        stop.abort();
        throw isUnknown(error)
          ? new Error('Expected a token that this cluster knows, got another one, or one that has ended.', {
              cause: error,
            })
          : error;
      } finally {
        entering -= 1;
      }
    },
    logOut: (key) => end(digestOf(key)),
  };
}

const isUnknown = (error: unknown): boolean => error instanceof KubernetesError && error.status === 401;
