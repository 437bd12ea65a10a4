import type { CellStatus } from '../../crds/cell.ts';
import type { Access } from '../access/access.ts';
import { canonical, compareText } from '../kubernetes/canonical.ts';
import { CELL_LABEL, VERSION_LABEL } from '../kubernetes/labels.ts';
import { namedARN } from '../model/target-group.ts';
import { mayAdopt } from '../versions/watched.ts';
import { APPLICATION_LABEL } from './child.ts';
import { APPLICATIONS_ANNOTATION } from './secrets.ts';

interface Watched {
  readonly metadata: {
    readonly name: string;
    readonly deletionTimestamp?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
}

/** What of an application's Cell, of its AWSTargetGroups and of cluster secrets a Cell with applications depends on. */
export interface WatchedParts {
  readonly cells: readonly (Watched & {
    readonly spec: unknown;
    readonly status?: Pick<CellStatus, 'phase' | 'stableVersion' | 'canaryWeight' | 'step'> | undefined;
  })[];
  readonly groups: readonly (Watched & { readonly spec: { readonly arn: string } })[];
  readonly secrets: readonly Watched[];
}

/** Whether something was made for a Cell with applications. */
export const isPartOf = ({ metadata }: Watched, cell: string): boolean =>
  metadata.labels?.[CELL_LABEL] === cell;

/** Says in one text all that a Cell with applications depends on, of objects as the API server returned them: watchers and workers compare it. */
export function watchedApplications(
  cell: Watched & { readonly spec: unknown },
  { cells, groups, secrets }: WatchedParts,
  access?: Access,
): string {
  const { name } = cell.metadata;
  const of = <T extends Watched>(all: readonly T[]): readonly T[] =>
    all
      .filter((one) => isPartOf(one, name))
      .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  return canonical([
    cell.spec,
    cell.metadata.deletionTimestamp !== undefined,
    mayAdopt(cell.metadata),
    of(cells).map(({ metadata, spec, status = {} }) => [
      ...marks(metadata, [APPLICATION_LABEL]),
      spec,
      [status.phase ?? null, status.stableVersion ?? null, status.canaryWeight ?? null, status.step ?? null],
    ]),
    of(groups).map((group) => [
      ...marks(group.metadata, [APPLICATION_LABEL, VERSION_LABEL]),
      namedARN(group) ?? null,
    ]),
    of(secrets).map(({ metadata }) => marks(metadata, [], [APPLICATIONS_ANNOTATION])),
    access?.specs ?? null,
  ]);
}

const marks = (
  { name, deletionTimestamp, labels, annotations }: Watched['metadata'],
  named: readonly string[],
  noted: readonly string[] = [],
): readonly unknown[] => [
  name,
  deletionTimestamp !== undefined,
  named.map((key) => labels?.[key] ?? null),
  noted.map((key) => annotations?.[key] ?? null),
];
