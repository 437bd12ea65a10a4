import type { Sleep } from '../../clients/backoff.ts';
import { KubernetesError } from '../../clients/kubernetes/kubernetes.ts';
import { KEPT } from '../../clients/kubernetes/limits.ts';
import { createAccount, type Tenant } from '../../clients/kubernetes/tenant-account.ts';

/** What one watch may keep, in characters as JSON. */
export interface MemoryBudget {
  /** Says how much is kept; throws a KubernetesError where that is too much, and leaves it as it was. */
  keep(characters: number): void;
  /** Says how much has been listed that may take the place of what is kept; the larger of both counts. */
  list(characters: number): void;
}

/** Gives one more watch of a tenant its budget. */
export type MemoryBudgets = (tenant: Tenant) => MemoryBudget;

/** Makes the budgets of what is kept of clusters that others run, so that no namespace takes up the memory of all others. */
export function memoryBudgets(limits = KEPT): MemoryBudgets {
  const account = createAccount(limits);
  return (tenant) => {
    let kept = 0;
    let listed = 0;
    const change = (nextKept: number, nextListed: number): void => {
      const by = Math.max(nextKept, nextListed) - Math.max(kept, listed);
      const full = by > 0 ? account.full(tenant, by) : undefined;
      if (full !== undefined) throw tooMuch(full);
      [kept, listed] = [nextKept, nextListed];
      account.add(tenant, by);
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

/** Waits, after a watch whose budget was too small, until it may be tried again. */
export async function waitForMemory(error: unknown, sleep: Sleep, signal: AbortSignal): Promise<void> {
  if (error instanceof KubernetesError && error.reason === TOO_MUCH) await sleep(AGAIN_MILLISECONDS, signal);
}

const tooMuch = ({ of, most }: { readonly of: string; readonly most: number }): KubernetesError =>
  new KubernetesError({
    status: 0,
    reason: TOO_MUCH,
    message: `Expected to keep at most ${most} characters of ${of}, got more. What is not watched is read once per interval; look for objects that do not belong there, or name fewer namespaces and clusters.`,
  });
