import { describe, expect, it } from 'vitest';
import { nginx } from '../../../test/support/samples/staged.ts';
import { compileCondition, compileFilter, type Verdict } from './expression.ts';

const number = (float: string) => ({ type: 'Number', float });
const reported = (...columns: object[]) => ({
  metadata: { name: 'o.p', namespace: 'nginx', labels: { 'status.kubestellar.io/name': 'nginx' } },
  results: [{ name: 'deployments-aggregator', columnNames: ['count'], rows: [{ columns }] }],
});
const object = {
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  namespace: 'nginx',
  name: 'nginx',
  resourceVersion: '7',
};

function judge(condition: string, status: Parameters<typeof verdict>[1] = reported(number('1'))): string {
  const compiled = compileCondition(condition);
  return compiled.is === 'Problem' ? compiled.problem : verdict(compiled.test, status).is;
}
const verdict = (
  test: (status: ReturnType<typeof reported>) => Verdict,
  status: ReturnType<typeof reported>,
) => test(status);

const published = nginx.stages[0].condition;
const columns = (test: string): string =>
  `obj.results.exists(r, r.rows.exists(row, row.columns.exists(col, ${test})))`;

describe('the condition of a stage', () => {
  it.each([
    ['the published one, met', published, reported(number('1')), 'True'],
    ['the published one, not met', published, reported(number('0')), 'False'],
    [
      'by the other name of its root',
      published.replaceAll('obj.', 'combinedStatus.'),
      reported(number('1')),
      'True',
    ],
    [
      'a field that is missing, guarded',
      columns("col.type == 'Number' && col.float == '1'"),
      reported({ type: 'String', string: 'x' }, number('1')),
      'True',
    ],
    [
      'a field that is missing, asked for by has',
      columns('has(col.float)'),
      reported({ type: 'String', string: 'x' }),
      'False',
    ],
    [
      'a number as a number',
      columns("col.type == 'Number' && double(col.float) >= 9.5"),
      reported(number('10')),
      'True',
    ],
    [
      'an object',
      columns("col.type == 'Object' && col.object.ready == 3"),
      reported({ type: 'Object', object: { ready: 3 } }),
      'True',
    ],
    [
      'a regular expression',
      "obj.metadata.labels['status.kubestellar.io/name'].matches('^ng')",
      reported(),
      'True',
    ],
    [
      'a regular expression in a macro, with the syntax of RE2',
      "obj.results.exists(r, r.name.matches('(?i)^DEPLOY') && !r.name.matches('^x'))",
      reported(),
      'True',
    ],
    ['a field of another object', "obj.metadata.labels['constructor'] == ''", reported(), 'Error'],
    [
      'a field of every object, asked for by has',
      columns('has(col.object.constructor)'),
      reported({ type: 'Object', object: {} }),
      'False',
    ],
    ['whether a name of every object is a key', "'toString' in obj.metadata.labels", reported(), 'False'],
    [
      'a key that is named like the prototype',
      columns("col.object['__proto__'] == 'x'"),
      reported({ type: 'Object', object: JSON.parse('{"__proto__":"x"}') as object }),
      'True',
    ],
  ])('%s', (_, condition, status, want) => expect(judge(condition, status)).toBe(want));

  it('is an error on a field that is missing', () =>
    expect(judge(columns("col.float == '1'"), reported({ type: 'String' }))).toBe('Error'));

  it.each([
    ['no CEL', 'obj.results.exists(', 'not valid CEL'],
    ['a number', 'obj.results.size()', 'must be true or false, but has the type int'],
    ['a field that there is not', 'obj.rows.size() > 0', 'No such key: rows'],
    ['a field of the prototype', 'obj.constructor == null', 'No such key: constructor'],
    ['the prototype', "obj['__proto__'] == null", 'No such key: __proto__'],
    ['a method of every object', 'obj.hasOwnProperty("metadata")', 'hasOwnProperty'],
    ['a function named like one of every object', "constructor('x') == true", 'constructor'],
    ['a variable named like one of every object', 'toString == null', 'Unknown variable'],
    ['a map with the prototype for a key', "{'__proto__': {'isAdmin': true}}.isAdmin", ''],
    ['a root that there is not', "downsyncClause.name == 'a'", 'Unknown variable'],
    ['a number beside text', columns('col.float == 1'), 'no such overload'],
    ['the order of numbers as text', columns("col.float >= '10'"), 'Write double('],
    ['a function that there is not', "obj.metadata.name.replace('a', 'b') == 'b'", 'no matching overload'],
    ['a pattern that is computed', 'obj.metadata.name.matches(obj.metadata.name)', 'a quoted string'],
    ['a pattern that is none', "obj.metadata.name.matches('(')", 'not a valid RE2 pattern'],
    ['a pattern with a look behind', "obj.metadata.name.matches('(?<=a)b')", 'not a valid RE2 pattern'],
  ])('is refused when it has %s', (_, condition, want) => expect(judge(condition)).toContain(want));
});

describe('the filter of a stage', () => {
  it.each([
    ['the published one', nginx.stages[0].filter, object, 'True'],
    ['of another object', nginx.stages[0].filter, { ...object, resource: 'configmaps' }, 'False'],
    ['a namespace', "downsyncClause.namespace == 'nginx' && downsyncClause.group == 'apps'", object, 'True'],
    ['a collector', "'a' in downsyncClause.statusCollectors", { ...object, statusCollectors: ['a'] }, 'True'],
  ])('%s', (_, filter, input, want) => {
    const compiled = compileFilter(filter);
    expect(compiled.is === 'Problem' ? compiled.problem : compiled.test(input).is).toBe(want);
  });
});
