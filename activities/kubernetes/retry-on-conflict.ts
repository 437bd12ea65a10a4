import { isConflict } from '../../clients/kubernetes/kubernetes.ts';

/** How often something is written that something else comes before, an edit of the spec for one. */
const ATTEMPTS = 3;

/**
 * Runs what reads an object and writes over the version that it has read, again when there was another by then; throws the
 * last conflict (as `retry.RetryOnConflict` of client-go). The first attempt is number 1.
 */
export async function retryOnConflict<T>(write: (attempt: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write(attempt);
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}
