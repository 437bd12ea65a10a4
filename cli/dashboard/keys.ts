import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Viewer, Viewers } from './viewer.ts';

/** A key that nobody can guess. */
export const newKey = (): string => randomBytes(32).toString('base64url');

const digestOf = (key: string): Buffer => createHash('sha256').update(key).digest();

/** The one person whose credentials the page has, for whoever shows the key that was printed for them. */
export function onePerson(viewer: Viewer, key: string): Viewers {
  const digest = digestOf(key);
  return {
    of: (shown) => (shown !== undefined && timingSafeEqual(digestOf(shown), digest) ? viewer : undefined),
    logOut: () => undefined,
  };
}
