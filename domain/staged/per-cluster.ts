import { fieldsIn, recordsIn, textIn, type Fields } from '../model/shape.ts';
import type { CombinedStatus, WorkloadObject } from './kubestellar.ts';
import { CLUSTER_COLUMN, REPORTS } from './reports.ts';

/** Tells apart what a CombinedStatus says of each cluster, by the column that names it: of one cluster, it is a CombinedStatus of that alone. */
export function byCluster(status: CombinedStatus, column: string): (cluster: string) => CombinedStatus {
  const results = recordsIn(status.results).map((result) => splitResult(result, column));
  return (cluster) => ({ ...status, results: results.map((of) => of(cluster)) });
}

function splitResult(result: Fields, column: string): (cluster: string) => Fields {
  const at = columnNames(result).indexOf(result['name'] === REPORTS ? CLUSTER_COLUMN : column);
  const rows = Map.groupBy(recordsIn(result['rows']), ({ columns }) =>
    textIn(fieldsIn(recordsIn(columns)[at])['string']),
  );
  const errors = Map.groupBy(recordsIn(result['rowErrors']), ({ wec }) => textIn(fieldsIn(wec)['clusterId']));
  return (cluster) => ({
    ...result,
    rows: rows.get(cluster) ?? [],
    rowErrors: [...(errors.get(cluster) ?? []), ...(errors.get(undefined) ?? [])],
  });
}

const columnNames = ({ columnNames: names }: Fields): readonly unknown[] =>
  Array.isArray(names) ? names : [];

/** Which StatusCollector does not name the cluster of each row; undefined when each does. */
export function columnProblem(
  { statusCollectors = [] }: WorkloadObject,
  statuses: readonly CombinedStatus[],
  column: string,
): string | undefined {
  const without = statuses
    .flatMap(({ results }) => recordsIn(results))
    .map((result) => ({ name: textIn(result['name']) ?? '', has: columnNames(result).includes(column) }))
    .find(({ name, has }) => name !== REPORTS && statusCollectors.includes(name) && !has);
  return without === undefined
    ? undefined
    : `Expected StatusCollector ${without.name} to name the cluster of each row, got no column ${column}. Add { name: ${column}, def: inventory.name } to its select or groupBy.`;
}
