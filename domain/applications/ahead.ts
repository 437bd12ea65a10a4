import type { CellStatus } from '../../crds/cell.ts';
import { childName } from './names.ts';

/** What is looked at of a Cell with applications. */
interface Ordered {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly parallel?: boolean | undefined;
    readonly applications?: readonly { readonly name: string }[] | undefined;
  };
  readonly status?: Pick<CellStatus, 'applications'> | undefined;
}

/**
 * The application that the traffic of another waits for, by name: the first before it that is not in place, unless they
 * go in parallel. It is read off the status of their Cell, which the Cell of each application goes by.
 */
export function applicationAhead({ metadata, spec, status }: Ordered, child: string): string | undefined {
  if (spec.parallel === true) return undefined;
  const all = status?.applications ?? [];
  const at = all.findIndex(({ name }) => childName(metadata.name, name) === child);
  // What is in place and has a reason is kept from going on.
  return all.slice(0, Math.max(0, at)).find(({ phase, reason }) => phase !== 'Synced' || reason !== undefined)
    ?.name;
}

/** Whether a Cell still has the application whose traffic another Cell moves. */
export const hasApplicationOf = (
  { metadata, spec: { applications = [] } }: Ordered,
  child: string,
): boolean => applications.some(({ name }) => childName(metadata.name, name) === child);
