import { EvaluationError, ParseError, type ASTNode, type Environment } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import type { CombinedStatus, WorkloadObject } from '../kubestellar.ts';
import { isRecord } from '../../model/fields.ts';
import { cut, messageOf } from '../../text.ts';
import {
  toClauseValue,
  toCombinedValue,
  conditionEnvironment,
  filterEnvironment,
  MATCHES,
} from './values.ts';

/** What an expression says of a value. */
export type Verdict =
  { readonly is: 'True' } | { readonly is: 'False' } | { readonly is: 'Error'; readonly message: string };

/** An expression that can be evaluated, or why it cannot. */
export type Compiled<Input> =
  | { readonly is: 'Compiled'; readonly test: (input: Input) => Verdict }
  | { readonly is: 'Problem'; readonly problem: string };

/** Compiles the `filter` of a stage. */
export const compileFilter = (text: string): Compiled<WorkloadObject> =>
  compile(text, filterEnvironment, (object) => ({ downsyncClause: toClauseValue(object) }));

/** Compiles the `condition` of a stage. */
export const compileCondition = (text: string): Compiled<CombinedStatus> =>
  compile(text, conditionEnvironment, (status) => {
    const obj = toCombinedValue(status);
    return { obj, combinedStatus: obj };
  });

/** Compiles an expression within the limits of the library; whoever evaluates it sets a deadline. */
function compile<Input>(
  text: string,
  environment: Environment,
  bind: (input: Input) => object,
): Compiled<Input> {
  try {
    const run = environment.parse(text);
    const nodes = [...nodesOf(run.ast)];
    const problem = nodes.map(problemOf).find((one) => one !== undefined);
    if (problem !== undefined) return { is: 'Problem', problem };
    // CEL prescribes the syntax of RE2; that of the library is JavaScript's.
    for (const { op, args } of nodes) if (op === 'rcall' && args[0] === 'matches') args[0] = MATCHES;
    const { valid, type, error } = run.check();
    if (!valid) return { is: 'Problem', problem: invalid(error) };
    if (type === 'bool')
      return { is: 'Compiled', test: (input) => verdictOf((): unknown => run({ ...bind(input) })) };
    const got = `must be true or false, but has the type ${type}. Correct it.`;
    return { is: 'Problem', problem: got };
  } catch (error) {
    return { is: 'Problem', problem: invalid(error) };
  }
}

const invalid = (error: unknown): string => `not valid CEL: ${said(error)}. Correct it.`;

const isNode = (value: object): value is ASTNode => 'op' in value && 'args' in value;

function* nodesOf(value: unknown): Generator<ASTNode> {
  if (Array.isArray(value)) for (const one of value) yield* nodesOf(one);
  else if (isRecord(value) && isNode(value)) {
    yield value;
    yield* nodesOf(value.args);
  }
}

const ordering: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

/** Says what of an expression may not be, although it is CEL; undefined when nothing is wrong. */
function problemOf(node: ASTNode): string | undefined {
  if (node.op === 'rcall' && node.args[0] === 'matches') return patternProblem(node.args[2][0]);
  if (!ordering.has(node.op)) return undefined;
  // KubeStellar writes numbers as text, and texts are ordered by their characters: "9" is after "10".
  const isNumberText = (one: unknown): boolean =>
    isRecord(one) && isNode(one) && one.op === '.' && one.args[1] === 'float';
  if (!Array.isArray(node.args) || !node.args.some(isNumberText)) return undefined;
  return `cannot compare float with ${node.op}, because it holds a number as text. Write double(….float).`;
}

// A pattern is compiled with each look, which has no deadline.
const LONGEST_PATTERN = 256;

/** Checks the argument of `matches`, which must be a literal, so that it is checked before use. */
function patternProblem(argument: ASTNode | undefined): string | undefined {
  if (argument?.op !== 'value' || typeof argument.args !== 'string')
    return 'the argument of matches must be a quoted string, not an expression. Write it out.';
  const { length } = argument.args;
  if (length > LONGEST_PATTERN)
    return `the pattern has ${length} characters, at most ${LONGEST_PATTERN} are allowed. Shorten it.`;
  try {
    RE2JS.compile(argument.args);
    return undefined;
  } catch {
    return `not a valid RE2 pattern: ${argument.args}. Correct it.`;
  }
}

function verdictOf(run: () => unknown): Verdict {
  try {
    const value = run();
    if (value === true) return { is: 'True' };
    if (value === false) return { is: 'False' };
    return { is: 'Error', message: `The result must be true or false, but is a ${typeof value}.` };
  } catch (error) {
    return { is: 'Error', message: said(error) };
  }
}

/** What the library says, without the excerpt of the expression that it draws. */
function said(error: unknown): string {
  const at = error instanceof ParseError || error instanceof EvaluationError ? error.summary : undefined;
  const text = at ?? messageOf(error);
  return cut(text.split('\n')[0] ?? '', 300);
}
