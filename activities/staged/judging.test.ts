import { describe, expect, it } from 'vitest';
import { compileCondition, type Verdict } from '../../domain/staged/cel/expression.ts';
import { withDeadline } from './judging.ts';

const number = (float: string) => ({ type: 'Number', float });
const reported = (...columns: object[]) => ({
  metadata: { name: 'o.p', namespace: 'nginx' },
  results: [{ name: 'deployments-aggregator', columnNames: ['count'], rows: [{ columns }] }],
});

function judge(condition: string, status: ReturnType<typeof reported>): string {
  const compiled = compileCondition(condition);
  return compiled.is === 'Problem' ? compiled.problem : withDeadline(compiled.test)(status).is;
}

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
  ])('of %s is an error or an answer within the deadline', (_, condition, status) => {
    // The machine may be busy with something else: what counts is the processor's time.
    const begun = process.threadCpuUsage();
    expect(judge(condition, status)).not.toBe('True');
    const { user, system } = process.threadCpuUsage(begun);
    expect((user + system) / 1000).toBeLessThan(1_000);
  });

  it('is evaluated no more once it was late', () => {
    const compiled = compileCondition(`${each}.all(a, ${each}.all(b, ${each}.all(c, a.type == b.type)))`);
    if (compiled.is === 'Problem') throw new Error(compiled.problem);
    const test = withDeadline(compiled.test);
    const late = { is: 'Error', message: expect.stringContaining('within 250 ms') as string };
    expect(test(big)).toMatchObject(late);
    expect(test(reported())).toMatchObject(late);
    expect(withDeadline(compiled.test)(reported(number('1')))).toEqual({ is: 'True' });
  });

  it('is not late where the processor did something else for longer than the deadline', () => {
    let evaluations = 0;
    const test = withDeadline((): Verdict => {
      evaluations += 1;
      // Keeps the thread waiting, as a machine does that runs other processes; it takes no processor time.
      if (evaluations === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
      return { is: 'True' };
    });
    expect(test(undefined)).toEqual({ is: 'True' });
    expect(test(undefined)).toEqual({ is: 'True' });
    expect(evaluations).toBe(3);
  });
});
