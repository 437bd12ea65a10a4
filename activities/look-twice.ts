import { sleep } from '../clients/backoff.ts';
import type { Lifetime } from './lifetime.ts';

// As long as a ClusterSet needs to make a secret anew, and much longer than `kubectl replace --force` does.
const BETWEEN_MILLISECONDS = 2_000;

/** Looks, and looks again after a moment when what was seen may be so for that moment only, such as a secret that is being replaced. */
export async function lookTwice<T>(
  look: () => Promise<T>,
  { signal, assert }: Lifetime,
  isDoubtful: (seen: T) => boolean,
): Promise<T> {
  const seen = await look();
  if (!isDoubtful(seen)) return seen;
  await sleep(BETWEEN_MILLISECONDS, signal);
  assert();
  return await look();
}
