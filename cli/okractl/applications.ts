import type { CellStatus } from '../../crds/cell.ts';
import { counted, type Table } from './table.ts';

type Application = NonNullable<CellStatus['applications']>[number];

/** How the applications of a Cell stand, in the order of its spec. */
export const applicationsTable = ({ applications = [] }: CellStatus): Table => ({
  headings: ['APPLICATION', 'PHASE', 'REVISION', 'WEIGHT', 'CHECKS', 'MESSAGE'],
  rows: applications.map((application) => [
    application.name,
    application.phase,
    revisionText(application),
    // Of a Cell that is new, or gone, nobody knows the weights.
    application.child?.weight === undefined
      ? '-'
      : `${application.child.weight} by Cell ${application.child.name}`,
    checksText(application),
    application.failed?.message ?? application.message ?? '-',
  ]),
});

function revisionText({ revision, goodRevision }: Application): string {
  if (revision === undefined) return '-';
  return goodRevision === undefined || goodRevision === revision
    ? String(revision)
    : `${goodRevision} → ${revision}`;
}

/** Those that have failed by their names, the others by their number. */
function checksText({ prechecks = [], checks = [], postchecks = [] }: Application): string {
  const all = [...prechecks, ...checks, ...postchecks];
  const bad = all.filter(({ phase }) => phase !== 'Successful' && phase !== 'Running');
  if (bad.length > 0) return bad.map(({ name, phase }) => `${name} ${phase}`).join(', ');
  const good = all.filter(({ phase }) => phase === 'Successful').length;
  return all.length === 0 ? '-' : `${good} of ${counted(all.length, 'check')} passed`;
}
