import { Environment } from '@marcbachmann/cel-js';
import type { CheckAnalysis } from '../../crds/check.ts';
import { cut } from '../text.ts';

type Expressive = Pick<CheckAnalysis, 'pass' | 'fail'> & {
  readonly compare?: object | undefined;
  readonly minSamples?: object | undefined;
};

/** What an expression may look at. */
export interface Known {
  readonly value: number;
  readonly baseline?: number | undefined;
  readonly samples?: number | undefined;
}

// Only numbers get in, and the schema lets no text and no list into an expression, so that it takes no longer than it is long.
function environmentOf({ compare, minSamples }: Expressive): Environment {
  const environment = new Environment().registerVariable('value', 'double');
  if (compare !== undefined) environment.registerVariable('baseline', 'double');
  if (minSamples !== undefined) environment.registerVariable('samples', 'double');
  return environment;
}

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
  const names = [
    'value',
    ...(analysis.compare === undefined ? [] : ['baseline']),
    ...(analysis.minSamples === undefined ? [] : ['samples']),
  ];
  const [first = ''] = got.split('\n');
  return `Invalid analysis.${field} "${cut(expression, 200)}": ${first}. It must be true or false for the doubles ${names.join(', ')}, such as value < 2.0.`;
}

/** Whether an expression holds; throws when it has no answer. */
export function holds(analysis: Expressive, field: 'pass' | 'fail', known: Known): boolean {
  const { value, baseline, samples } = known;
  const environment = environmentOf(analysis);
  const result: unknown = environment.evaluate(analysis[field] ?? 'false', {
    value,
    ...(analysis.compare === undefined ? {} : { baseline }),
    ...(analysis.minSamples === undefined ? {} : { samples }),
  });
  if (typeof result === 'boolean') return result;
  throw new TypeError(`got ${String(result)}`);
}
