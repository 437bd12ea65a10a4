import { tooMuchHeld, type KubernetesError } from './kubernetes-error.ts';
import { UNFINISHED } from './limits.ts';
import { createAccount, type Full, type Tenant } from './tenant-account.ts';

/** What is held of an answer, or of an event, that has not come as a whole. */
export interface Part {
  /** Says that so many bytes more have come. */
  add(bytes: number): void;
  /** Says that nothing of it is held any more. */
  drop(): void;
}

/** Begins to count what is held of the answers to a request; `giveUp` is called when it is held no longer, because there is too much. */
export type Unfinished = (request: string, giveUp: (error: KubernetesError) => void) => Part;

interface Held {
  readonly tenant: Tenant;
  readonly request: string;
  readonly giveUp: (error: KubernetesError) => void;
  bytes: number;
}

/**
 * Makes the count of what is held at once of answers of clusters that others run. Where there is too much the largest of what
 * the cluster holds is given up that holds most: whoever holds little is not held up by those who never come to an end.
 */
export function countUnfinished(limits = UNFINISHED): (tenant: Tenant) => Unfinished {
  const account = createAccount(limits);
  const all = new Set<Held>();

  function change(held: Held, by: number): void {
    held.bytes += by;
    account.add(held.tenant, by);
    if (held.bytes === 0) all.delete(held);
    else all.add(held);
  }

  function largest({ scope }: Full, tenant: Tenant): Held | undefined {
    return [...all]
      .filter((one) => one.tenant[scope] === tenant[scope])
      .toSorted((a, b) => account.of(b.tenant) - account.of(a.tenant) || b.bytes - a.bytes)[0];
  }

  function makeRoom(tenant: Tenant): void {
    for (let full = account.full(tenant, 0); full !== undefined; full = account.full(tenant, 0)) {
      const held = largest(full, tenant);
      if (held === undefined) return;
      change(held, -held.bytes);
      held.giveUp(tooMuchHeld(held.request, held.tenant.name, full));
    }
  }

  return (tenant) => (request, giveUp) => {
    const held: Held = { tenant, request, giveUp, bytes: 0 };
    return {
      add: (bytes) => {
        change(held, bytes);
        makeRoom(tenant);
      },
      drop: () => change(held, -held.bytes),
    };
  };
}
