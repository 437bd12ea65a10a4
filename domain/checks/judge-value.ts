import type { CheckAnalysis } from '../../crds/check.ts';
import { Environment } from '@marcbachmann/cel-js';
import { cut } from '../text.ts';

/** What a value comes to. */
export interface Judged {
  readonly outcome: 'Passed' | 'Failed' | 'Inconclusive' | 'Error';
  readonly message: string;
}

type Outcome = 'Passed' | 'Failed' | 'Inconclusive';

/** Judges one value by everything that the analysis holds it against. */
export function judgeValue(analysis: CheckAnalysis, known: Known): Judged {
  const { value } = known;
  try {
    const outcomes = [byBounds(analysis, value), byExpressions(analysis, known), byOther(analysis, known)];
    return { outcome: together(outcomes), message: sentence(together(outcomes), analysis, known) };
  } catch (error) {
    const got = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return {
      outcome: 'Error',
      message: `Cannot evaluate the expressions for ${value}: ${got}. Correct pass or fail.`,
    };
  }
}

function together(outcomes: readonly Outcome[]): Outcome {
  if (outcomes.includes('Failed')) return 'Failed';
  return outcomes.includes('Inconclusive') ? 'Inconclusive' : 'Passed';
}

function byBounds({ min, max }: CheckAnalysis, value: number): Outcome {
  const passes = (min === undefined || value >= min) && (max === undefined || value <= max);
  return passes ? 'Passed' : 'Failed';
}

function byExpressions(analysis: CheckAnalysis, known: Known): Outcome {
  const { pass, fail } = analysis;
  if (pass === undefined && fail === undefined) return 'Passed';
  try {
    if (fail !== undefined && holds(analysis, 'fail', known)) return 'Failed';
    if (pass === undefined || holds(analysis, 'pass', known)) return 'Passed';
    return fail === undefined ? 'Failed' : 'Inconclusive';
  } catch (error) {
    // In CEL "value > 10.0 || value > baseline" is true of 11, whatever baseline is. Of 9 nothing is known without it.
    if (analysis.compare !== undefined && known.baseline === undefined) return 'Inconclusive';
    throw error;
  }
}

function byOther({ compare }: CheckAnalysis, { value, baseline = Number.NaN }: Known): Outcome {
  if (compare === undefined) return 'Passed';
  if (!Number.isFinite(baseline)) return 'Inconclusive';
  if (compare.maxDifference !== undefined)
    return value - baseline <= compare.maxDifference ? 'Passed' : 'Failed';
  // A multiple of what is below zero says nothing.
  if (baseline < 0) return 'Inconclusive';
  return value <= (compare.maxRatio ?? 0) * baseline ? 'Passed' : 'Failed';
}

function sentence(outcome: Outcome, analysis: CheckAnalysis, { value, baseline }: Known): string {
  const { compare } = analysis;
  const than = compare === undefined ? '' : ` (${compare.to}: ${baseline ?? 'no data'})`;
  const expected = thresholdOf(analysis);
  switch (outcome) {
    case 'Passed':
      return `${value}${than} passed: ${expected}.`;
    case 'Failed':
      return `Expected ${expected}, got ${value}${than}.`;
    case 'Inconclusive':
      return `${value}${than} matches neither pass nor fail: ${expected}.`;
  }
}

type Bounds = Pick<CheckAnalysis, 'min' | 'max' | 'pass' | 'fail' | 'compare'>;

/** What a value is held against, for people. */
export function thresholdOf({ min, max, pass, fail, compare }: Bounds): string {
  const parts = [
    min === undefined ? undefined : `min ${min}`,
    max === undefined ? undefined : `max ${max}`,
    pass === undefined ? undefined : `pass: ${pass}`,
    fail === undefined ? undefined : `fail: ${fail}`,
    compare?.maxRatio === undefined ? undefined : `at most ${compare.maxRatio} times ${compare.to}`,
    compare?.maxDifference === undefined ? undefined : `at most ${compare.maxDifference} above ${compare.to}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

type Expressive = Pick<CheckAnalysis, 'pass' | 'fail'> & {
  readonly compare?: object | undefined;
  readonly minSamples?: object | undefined;
};

const variablesOf = ({ compare, minSamples }: Expressive): readonly (keyof Known)[] => [
  'value',
  ...(compare === undefined ? [] : (['baseline'] as const)),
  ...(minSamples === undefined ? [] : (['samples'] as const)),
];

interface Known {
  readonly value: number;
  readonly baseline?: number | undefined;
  readonly samples?: number | undefined;
}

// Only numbers get in, and the schema lets no text and no list into an expression, so that it takes no longer than it is long.
const environmentOf = (analysis: Expressive): Environment =>
  variablesOf(analysis).reduce((known, name) => known.registerVariable(name, 'double'), new Environment());

/** What is wrong with the expressions of an analysis. */
export function expressionProblems(analysis: Expressive): readonly string[] {
  const environment = environmentOf(analysis);
  return (['pass', 'fail'] as const).flatMap((field) => {
    const expression = analysis[field];
    if (expression === undefined) return [];
    const { valid, type, error } = environment.check(expression);
    if (!valid) return [problem(field, expression, error?.message ?? 'an error', analysis)];
    return String(type) === 'bool'
      ? []
      : [problem(field, expression, `the type is ${String(type)}`, analysis)];
  });
}

function problem(field: 'pass' | 'fail', expression: string, got: string, analysis: Expressive): string {
  const [first = ''] = got.split('\n');
  return `Invalid analysis.${field} "${cut(expression, 200)}": ${first}. It must be true or false for the doubles ${variablesOf(analysis).join(', ')}, such as value < 2.0.`;
}

/** Whether an expression holds; throws when it has no answer. */
function holds(analysis: Expressive, field: 'pass' | 'fail', known: Known): boolean {
  const values = Object.fromEntries(variablesOf(analysis).map((name) => [name, known[name]]));
  const result: unknown = environmentOf(analysis).evaluate(analysis[field] ?? 'false', values);
  if (typeof result === 'boolean') return result;
  throw new TypeError(`got ${String(result)}`);
}
