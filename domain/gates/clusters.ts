import type { CellStatus } from '../../crds/cell.ts';

/** The clusters of a Cell with applications that are not ready, by name; nothing goes forward meanwhile, not even traffic that moves already. */
export const unreadyClusters = ({
  status,
}: {
  readonly status?: Pick<CellStatus, 'clusters'> | undefined;
}): readonly string[] => (status?.clusters ?? []).filter(({ ready }) => !ready).map(({ name }) => name);
