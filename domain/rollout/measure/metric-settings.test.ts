import { describe, expect, it } from 'vitest';
import { problemWithSettings } from './analysis-run.ts';

const problem = (expressions: readonly string[], names: readonly string[]): string | undefined =>
  problemWithSettings(
    'dryRun',
    expressions.map((metricName) => ({ metricName })),
    names.map((name) => ({ name })),
  );

describe('what a setting is about', () => {
  it.each<[string, string, string, boolean]>([
    ['a name', 'rate', 'rate', true],
    ['a part of a name', 'ate', 'rate', true],
    ['an expression', '^err.*s$', 'errors', true],
    ['an expression for another', '^err.*s$', 'my-errors', false],
    ['flags as Go writes them', '(?i)ERR', 'errors', true],
    ['a class as Go writes it', '^[[:alpha:]]+$', 'errors', true],
    ['no expression', '*', 'errors', false],
    ['a look ahead, which Go does not know', 'err(?=ors)', 'errors', false],
    ['a reference back, which Go does not know', '(r)\\1', 'errors', false],
  ])('is read from %s', (_, expression, name, is) =>
    expect(problem([expression], [name])).toBe(
      is ? undefined : `${expression} in dryRun matches no metric of the templates.`,
    ),
  );

  // What takes long with backtracking, what is compiled to much, and the most of both.
  it.each<[string, readonly string[], readonly string[]]>([
    ['repeats what repeats', ['(a+)+$'], [`${'a'.repeat(50)}!`]],
    ['has two ways for each letter', ['^(a|a)*$'], [`${'a'.repeat(50)}!`]],
    ['is held against a long name', ['(a+)+$'], [`${'a'.repeat(100_000)}!`]],
    ['counts far', ['^((a{0,30}){0,30})$'], [`${'a'.repeat(250)}!`]],
    ['counts farther', ['^((a{0,100}){0,100}){0,100}$'], [`${'a'.repeat(250)}!`]],
    [
      'comes many times, for many metrics',
      Array.from({ length: 100 }, (_, i) => `(\\pL|\\pN|.){900}${i}`),
      Array.from({ length: 1_000 }, (_, i) => `${i}${'a'.repeat(250)}`),
    ],
  ])('is found soon when an expression %s', (_, expressions, names) => {
    const began = performance.now();
    expect(problem(expressions, names)).toContain(' in dryRun ');
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it('is found for all that is of an ordinary size', () => {
    const names = Array.from({ length: 100 }, (_, i) => `success-rate-of-service-${i}`);
    const expressions = names.slice(0, 50).map((name) => `^(${name}|another-[a-z0-9-]+)$`);
    expect(problem(expressions, names)).toBeUndefined();
  });
});

describe('settings', () => {
  it.each<[string, readonly string[], string]>([
    [
      'too many',
      Array.from({ length: 101 }, (_, i) => `m${i}`),
      'at most 100 entries in the step and its templates, and has 101',
    ],
    ['one twice', ['m', 'm'], 'dryRun names m twice'],
    ['one too long', ['m'.repeat(257)], 'in dryRun has 257 characters; at most 256 are allowed'],
  ])('cannot be %s', (_, expressions, want) => expect(problem(expressions, ['m'])).toContain(want));
});
