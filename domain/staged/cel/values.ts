import { Environment } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import type { CombinedStatus, WorkloadObject } from '../kubestellar.ts';
import { fieldsIn, isRecord, recordsIn, textIn } from '../../model/fields.ts';

// The evaluator knows the type of a value by its class. Fields that are not there are not set, so that `has` can tell.
class DownsyncClause {
  declare readonly resource: string;
}
class ObjectMeta {
  declare readonly name: string;
}
class Column {
  declare readonly type: string;
}
class Row {
  declare readonly columns: readonly Column[];
}
class Result {
  declare readonly rows: readonly Row[];
}
class Combined {
  declare readonly results: readonly Result[];
}

/** The function that stands for `matches` once an expression is compiled. */
export const MATCHES = 'matchesWithoutBacktracking';

const LIMITS = { maxAstNodes: 1000, maxDepth: 32, maxListElements: 100, maxMapEntries: 100 };

const modulation = {
  createOnly: 'bool',
  statusCollectors: 'list<string>',
  wantSingletonReportedState: 'bool',
  wantMultiWECReportedState: 'bool',
};

const clause = {
  group: 'string',
  version: 'string',
  resource: 'string',
  namespace: 'string',
  name: 'string',
  resourceVersion: 'string',
  ...modulation,
};

// A row is matched after another by the same few patterns; a pattern is compiled once, and few are kept.
const MOST_KEPT = 64;
const kept = new Map<string, RE2JS>();

/** Whether a regular expression matches somewhere in a text, in time linear to the text. */
function matchesExpression(text: string, pattern: string): boolean {
  const known = kept.get(pattern) ?? RE2JS.compile(pattern);
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(pattern, known);
  return known.matcher(text).find();
}

const base = (): Environment =>
  new Environment({ limits: LIMITS }).registerFunction(`string.${MATCHES}(string): bool`, matchesExpression);

/** What a `filter` can name: downsyncClause, an object as a Binding lists it. */
export const filterEnvironment: Environment = base()
  .registerType('DownsyncClause', { ctor: DownsyncClause, fields: clause })
  .registerVariable('downsyncClause', 'DownsyncClause');

/** What a `condition` can name: obj and combinedStatus, which are the same CombinedStatus. */
export const conditionEnvironment: Environment = base()
  .registerType('Column', {
    ctor: Column,
    fields: { type: 'string', string: 'string', float: 'string', bool: 'bool', object: 'dyn', array: 'dyn' },
  })
  .registerType('Row', { ctor: Row, fields: { columns: 'list<Column>' } })
  .registerType('Result', {
    ctor: Result,
    fields: { name: 'string', columnNames: 'list<string>', rows: 'list<Row>' },
  })
  .registerType('ObjectMeta', {
    ctor: ObjectMeta,
    fields: { name: 'string', namespace: 'string', labels: 'map<string, string>' },
  })
  .registerType('CombinedStatus', {
    ctor: Combined,
    fields: { metadata: 'ObjectMeta', results: 'list<Result>' },
  })
  .registerVariable('obj', 'CombinedStatus')
  .registerVariable('combinedStatus', 'CombinedStatus');

/** An object of a Binding, as a filter sees it. */
export const toClauseValue = (object: WorkloadObject): object => Object.assign(new DownsyncClause(), object);

/** Converts a CombinedStatus for a condition; leaves out what is not of its type. */
export function toCombinedValue({ metadata, results }: CombinedStatus): object {
  const { name, namespace, labels } = metadata;
  return Object.assign(new Combined(), {
    metadata: Object.assign(new ObjectMeta(), { name, namespace: namespace ?? '', labels: labels ?? {} }),
    results: recordsIn(results).map(({ name: of, columnNames, rows }) =>
      Object.assign(new Result(), {
        name: textIn(of) ?? '',
        columnNames: Array.isArray(columnNames) ? columnNames.filter((one) => typeof one === 'string') : [],
        rows: recordsIn(rows).map((row) =>
          Object.assign(new Row(), { columns: recordsIn(row['columns']).map(columnValue) }),
        ),
      }),
    ),
  });
}

function columnValue(column: object): Column {
  const { type, string, float, bool, object, array } = fieldsIn(column);
  return Object.assign(new Column(), {
    type: textIn(type) ?? '',
    ...(typeof string === 'string' ? { string } : {}),
    ...(typeof float === 'string' ? { float } : {}),
    ...(typeof bool === 'boolean' ? { bool } : {}),
    ...(object === undefined ? {} : { object: withIntegers(object) }),
    ...(array === undefined ? {} : { array: withIntegers(array) }),
  });
}

/** JSON does not tell integers from other numbers; CEL does. */
function withIntegers(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withIntegers);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withIntegers(one)]));
}
