import { describe, expect, it } from 'vitest';
import { nginx } from '../../../test/support/samples/staged.ts';
import { compileCondition, compileFilter, MOST_STEPS, type Verdict } from './expression.ts';

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
    ['no CEL', 'obj.results.exists(', 'Expected valid CEL'],
    ['a number', 'obj.results.size()', 'Expected an expression that is true or false, got one of type int'],
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
    ['a function that Okra does not know', "obj.metadata.name.replace('a', 'b') == 'b'", 'got replace'],
    ['names for values', 'cel.bind(a, [1], a.size() == 1)', 'got bind'],
    ['a pattern that is computed', 'obj.metadata.name.matches(obj.metadata.name)', 'a text in quotes'],
    ['a pattern that is none', "obj.metadata.name.matches('(')", 'syntax of RE2'],
    ['a pattern with a look behind', "obj.metadata.name.matches('(?<=a)b')", 'syntax of RE2'],
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

const big = reported(...Array.from({ length: 2000 }, () => number('1')));
const huge = reported(...Array.from({ length: 50_000 }, () => number('1')));
const large = reported(...Array.from({ length: 4_800 }, () => number('1')));
const keyed = reported({
  type: 'Object',
  object: Object.fromEntries(
    Array.from({ length: 4_800 }, (_, index) => [`k${index}`, { [`a${index}`]: 1 }]),
  ),
});
const deep = reported({
  type: 'Object',
  object: Array.from({ length: 5_000 }).reduce<object>((inner) => ({ a: inner, b: [inner].length }), {}),
});
const text = reported({ type: 'String', string: `${'a'.repeat(50_000)}!` });
const each = 'obj.results[0].rows[0].columns';

describe('a hostile condition', () => {
  it.each<[string, string, ReturnType<typeof reported>]>([
    ['deep parentheses', `${'('.repeat(2000)}true${')'.repeat(2000)}`, big],
    ['deep lists', '['.repeat(4000), big],
    ['a chain of negations', `${'!'.repeat(4000)}true`, big],
    ['a chain of conditions', `${'true ? '.repeat(500)}true${' : true'.repeat(500)}`, big],
    ['a long sum', `${Array.from({ length: 900 }, () => '1').join('+')} == 1`, big],
    [
      'a list with a thousand elements',
      `[${Array.from({ length: 1000 }, () => '1').join(',')}].size() > 1`,
      big,
    ],
    [
      'loops in loops',
      `${each}.all(a, ${each}.all(b, ${each}.all(c, a.type == b.type && b.type == c.type)))`,
      big,
    ],
    ['loops over lists of its own', `${'[1,2,3,4,5,6,7,8,9].all(x, '.repeat(12)}true${')'.repeat(12)}`, big],
    ['text that doubles', `['a']${'.map(x, x + x + x + x + x + x + x + x)'.repeat(12)}.size() == 1`, big],
    ['lists that double', `[[1]]${'.map(x, x + x + x + x + x + x + x + x)'.repeat(12)}.size() == 1`, big],
    [
      'a split that is joined',
      `['a,b']${".map(x, x.split('').join('aaaaaaaaaaaaaaaaaaaaaaaaa'))".repeat(12)}.size() == 1`,
      big,
    ],
    ['a pattern that backtracks', `${each}[0].string.matches('^(a+)+$')`, text],
    ['a pattern with many states', `${each}[0].string.matches('(a{100}){10}b')`, text],
    ['a pattern with too many states', `${each}[0].string.matches('((a{100}){100}){100}')`, text],
    [
      'a search at each place',
      `${each}.all(c, ${each}[0].string.contains('aaaaaaaaaaaaaaaaaaaaaaaaaaaab'))`,
      text,
    ],
    ['deep maps', `${'{1:'.repeat(800)}1${'}'.repeat(800)} == {}`, big],
    ['a long way of fields', `obj${'.metadata'.repeat(450)} == ''`, big],
    ['a long way of indexes', `obj.results${'[0]'.repeat(1300)} == ''`, big],
    ['deep calls', `${'dyn('.repeat(800)}true${')'.repeat(800)}`, big],
    ['a text without an end', `'${'a'.repeat(4000)}`, big],
    ['quotes without an end', `'''${"\\'".repeat(1900)}`, big],
    ['a comment and nothing else', `//${' '.repeat(4000)}`, big],
    ['a number with thousands of digits', `double('${'9'.repeat(4000)}') < 0.0`, big],
    ['a whole number that is too large', `int('${'9'.repeat(4000)}') > 0`, big],
    ['a time that is none', `timestamp('${'1'.repeat(4000)}') < timestamp('2026-01-01T00:00:00Z')`, big],
    ['a duration that is none', `duration('${'1h'.repeat(2000)}') < duration('0s')`, big],
    ['a huge list in a huge list', `${each}.all(a, a in ${each})`, huge],
    ['a large list in a large list', `${each}.all(a, a in ${each})`, large],
    ['a large list that is compared with itself', `${each} != ${each}`, large],
    ['an object of thousands of fields', `${each}[0].object.k1 == ${each}[0].object`, keyed],
    ['an object that is thousands of levels deep', `${each}[0].object.a == ${each}[0].object`, deep],
    ['a huge list that is copied', `${each}.map(a, ${each}).size() == 0`, huge],
    ['huge lists that are added', `(${each} + ${each} + ${each} + ${each}).size() == 0`, huge],
    ['a huge list that is compared with itself', `${each} != ${each}`, huge],
    ['a huge text that is split', `${each}[0].string.split('').size() == 0`, text],
    ['a pattern for each of thousands of texts', `${each}.all(c, c.type.matches('^(a|aa)+$'))`, huge],
    ['alternatives in loops', `${each}[0].string.matches('^(a|a|aa|aaa)*$')`, text],
    ['a loop of anything in a loop', `${each}[0].string.matches('^((.*)*)*b$')`, text],
    ['counted loops in counted loops', `${each}[0].string.matches('^((a{1,50}){1,50}){1,50}$')`, text],
    ['prototypes', `${each}[0].object.__proto__.constructor.constructor('x')`, big],
  ])('of %s is an error or an answer within 100 ms', (_, condition, status) => {
    // The machine may be busy with something else: what counts is the processor's time.
    const times = [1, 2, 3].map(() => {
      const begun = process.threadCpuUsage();
      expect(judge(condition, status)).not.toBe('True');
      const { user, system } = process.threadCpuUsage(begun);
      return (user + system) / 1000;
    });
    expect(Math.min(...times)).toBeLessThan(100);
  });

  it('says what it may cost', () => {
    const compiled = compileCondition(`${each}.all(a, ${each}.all(b, a.type == b.type))`);
    expect(compiled.is === 'Compiled' && compiled.test(big)).toMatchObject({
      is: 'Error',
      message: expect.stringContaining(`at most ${MOST_STEPS} steps`) as string,
    });
  });
});
