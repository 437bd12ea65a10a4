import { fieldsIn, recordsIn, textIn, type Fields } from '../model/fields.ts';
import type { Verdict } from './cel/expression.ts';
import {
  ABOUT,
  CLUSTER_COLUMN,
  REPORTS,
  readReports,
  type CombinedStatus,
  type Report,
  type WorkloadObject,
} from './kubestellar.ts';

/** What an object is judged by. */
export interface Evidence {
  readonly policy: { readonly name: string; readonly uid: string };
  readonly clusters: readonly string[];
  readonly statuses: readonly CombinedStatus[];
  /** The object as it is now, when someone has looked because the reports are about another version. */
  readonly now?: PresentObject | undefined;
}

/** An object as it is in the workload description space. */
export interface PresentObject {
  readonly uid: string;
  /** When it was edited last, but for its status, in milliseconds since the epoch. */
  readonly editedAt: number;
}

/** Whether an object fulfils a stage, and why not. */
export type Judgement =
  | { readonly is: 'Fulfilled' }
  /** Reports are about another version of the object: whether it was edited since has to be looked up. */
  | { readonly is: 'Doubtful'; readonly reason: string }
  | { readonly is: 'Unfulfilled'; readonly reason: string };

/** Judges an object by the reports of its clusters; foreign, older, empty or broken ones do not count. */
export function judgeObject(
  object: WorkloadObject,
  evidence: Evidence,
  condition: ((status: CombinedStatus) => Verdict) | undefined,
): Judgement {
  const found = evidence.statuses.filter((status) => isAbout(status, object, evidence.policy));
  const [status, another] = found;
  if (status === undefined) {
    return unfulfilled('No CombinedStatus for this BindingPolicy yet.');
  }
  if (another !== undefined) {
    return unfulfilled(
      'Several CombinedStatuses: the object was recreated, and the old CombinedStatus still exists.',
    );
  }
  const stale = staleness(object, status, evidence);
  if (stale !== undefined) return stale;
  const gap = gapIn(object, status);
  if (gap !== undefined) return unfulfilled(gap);
  // A condition sees the results that its author has asked for.
  const results = recordsIn(status.results).filter(({ name }) => name !== REPORTS);
  const verdict: Verdict = condition?.({ ...status, results }) ?? { is: 'True' };
  if (verdict.is === 'True') return { is: 'Fulfilled' };
  return unfulfilled(
    verdict.is === 'False'
      ? 'The condition does not hold yet.'
      : `Cannot evaluate the condition: ${verdict.message}`,
  );
}

const unfulfilled = (reason: string): Judgement => ({ is: 'Unfulfilled', reason });

function isAbout({ metadata }: CombinedStatus, object: WorkloadObject, policy: Evidence['policy']): boolean {
  const { labels = {}, name } = metadata;
  return (
    labels[ABOUT.policy] === policy.name &&
    name.endsWith(`.${policy.uid}`) &&
    (labels[ABOUT.group] ?? '') === object.group &&
    labels[ABOUT.resource] === object.resource &&
    (labels[ABOUT.namespace] ?? '') === (object.namespace ?? '') &&
    labels[ABOUT.name] === object.name
  );
}

/** Why a CombinedStatus is not about the object as it is now in every cluster; undefined when it is. */
function staleness(
  object: WorkloadObject,
  status: CombinedStatus,
  { clusters, now }: Evidence,
): Judgement | undefined {
  const reports = readReports(status);
  const uid = status.metadata.name.split('.')[0] ?? '';
  let doubtful: string | undefined;
  for (const cluster of clusters) {
    const report = reports.find((one) => one.cluster === cluster);
    if (report?.uid !== uid) {
      return unfulfilled(`Cluster ${cluster} has not reported on the latest version of the object yet.`);
    }
    if (report.resourceVersion === object.resourceVersion) continue;
    if (now === undefined) doubtful ??= cluster;
    else if (!isLater(report, now)) {
      return unfulfilled(
        `Cluster ${cluster} has not reported since the last edit: edited at ${new Date(now.editedAt).toISOString()}, last report at ${new Date(report.reportedAt).toISOString()}.`,
      );
    }
  }
  if (doubtful === undefined) return undefined;
  const reason = `Cluster ${doubtful} reports on another resourceVersion than ${object.resourceVersion}.`;
  return { is: 'Doubtful', reason };
}

const isLater = (report: Report, now: PresentObject): boolean =>
  report.uid === now.uid && report.reportedAt > now.editedAt;

/** Says what a CombinedStatus lacks, over which a condition might hold; undefined when complete. */
function gapIn({ statusCollectors = [] }: WorkloadObject, { results }: CombinedStatus): string | undefined {
  const found = recordsIn(results);
  for (const collector of statusCollectors.filter((one) => one !== REPORTS)) {
    const result = found.find(({ name }) => name === collector);
    if (result === undefined) return `StatusCollector ${collector} has no result yet.`;
    if (recordsIn(result['rows']).length === 0) {
      return `StatusCollector ${collector} reported no rows.`;
    }
  }
  for (const result of found) {
    const errors = [...recordsIn(result['rowErrors']), ...recordsIn(result['aggregationErrors'])];
    const [first] = errors;
    const name = textIn(result['name']) ?? '';
    if (first !== undefined) {
      const said = textIn(first['error']) ?? 'an error';
      return `StatusCollector ${name} reports ${errors.length} errors, so rows are missing: ${said}`;
    }
    const missing = missingValueIn(result);
    if (missing !== undefined) return `StatusCollector ${name} has no value ${missing}`;
  }
  return undefined;
}

// KubeStellar writes the error of a select into the column, without a rowError (pkg/status/cel-evaluator.go).
const EVALUATION_ERROR = /^failed to (?:(?:parse|check|evaluate) expression|create program): /;

/** Finds a value that is an error of an expression, or the infinity of MIN and MAX over no cluster. */
function missingValueIn({ columnNames, rows }: Fields): string | undefined {
  const names = Array.isArray(columnNames) ? columnNames : [];
  for (const { columns } of recordsIn(rows)) {
    for (const [at, { type, string, float }] of recordsIn(columns).entries()) {
      const column = `in column ${textIn(names[at]) ?? at + 1}`;
      const text = textIn(string) ?? '';
      if (type === 'String' && EVALUATION_ERROR.test(text)) return `${column}: ${text}`;
      if (type === 'Number' && !Number.isFinite(Number(float)))
        return `${column}: got ${textIn(float) ?? 'nothing'}, the result of MIN or MAX over no clusters. Correct its filter, or wait for reports that match it.`;
    }
  }
  return undefined;
}

/** Splits a CombinedStatus by the column that names the cluster: into one for each cluster. */
export function splitByCluster(status: CombinedStatus, column: string): (cluster: string) => CombinedStatus {
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
export function findColumnProblem(
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
    : `StatusCollector ${without.name} has no column ${column} with the name of the cluster. Add { name: ${column}, def: inventory.name } to its select or groupBy.`;
}
