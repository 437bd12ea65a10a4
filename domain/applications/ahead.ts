import type { ApplicationStatus } from '../../crds/application-status.ts';
import type { CellStatus } from '../../crds/cell.ts';
import { childName } from './names.ts';

/** What counts of a Cell with applications. */
interface Ordered {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly parallel?: boolean | undefined;
    readonly applications?: readonly { readonly name: string }[] | undefined;
  };
  readonly status?: Pick<CellStatus, 'phase' | 'reason' | 'applications'> | undefined;
}

/**
 * The application for which the traffic of a later one waits, by name: the first that is not in place, unless applications
 * move in parallel. It comes from the status of their Cell, which the Cell of each application reads.
 */
function applicationAhead({ metadata, spec, status }: Ordered, child: string): string | undefined {
  if (spec.parallel === true) return undefined;
  const all = status?.applications ?? [];
  const at = all.findIndex(({ name }) => childName(metadata.name, name) === child);
  // An application that is in place and has a reason is held.
  return all.slice(0, Math.max(0, at)).find(({ phase, reason }) => phase !== 'Synced' || reason !== undefined)
    ?.name;
}

/** What the traffic of an application waits for: its own application while that cannot go on, or an earlier one. */
export interface HeldBehind {
  readonly application: string;
  /** Why its own application cannot go on. */
  readonly reason?: string;
}

/** What the traffic of an application waits for, from the status of the Cell with applications; undefined: nothing. */
export function heldBehind(cell: Ordered, child: string): HeldBehind | undefined {
  const { name: parent } = cell.metadata;
  const own = cell.status?.applications?.find(({ name }) => childName(parent, name) === child);
  const reason = own === undefined ? undefined : stuckFor(cell, own);
  if (own !== undefined && reason !== undefined) return { application: own.name, reason };
  const ahead = applicationAhead(cell, child);
  return ahead === undefined ? undefined : { application: ahead };
}

/** Why nobody can say what an application is to be. Other reasons may be what its own Cell says, which must not hold itself. */
function stuckFor({ status }: Ordered, own: ApplicationStatus): string | undefined {
  if (status?.phase === 'Failed' && status.reason === 'InvalidSpec') return status.reason;
  return own.reason === 'InvalidApplication' ? own.reason : undefined;
}

/** Whether a Cell still has the application whose traffic another Cell moves. */
export const hasApplicationOf = (
  { metadata, spec: { applications = [] } }: Ordered,
  child: string,
): boolean => applications.some(({ name }) => childName(metadata.name, name) === child);
