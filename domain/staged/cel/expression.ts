import {
  EvaluationError,
  ParseError,
  type ASTNode,
  type Environment,
  type ParseResult,
} from '@marcbachmann/cel-js';
import type { CombinedStatus, WorkloadObject } from '../kubestellar.ts';
import { cut } from '../../text.ts';
import { costOf } from './cost.ts';
import { extentOf, isWithin } from './extent.ts';
import { nodesOf } from './macros.ts';
import { problemOf } from './problems.ts';
import { clauseValue, combinedValue, conditionEnvironment, filterEnvironment, MATCHES } from './values.ts';

/** What an expression says of a value. */
export type Verdict =
  { readonly is: 'True' } | { readonly is: 'False' } | { readonly is: 'Error'; readonly message: string };

/** An expression that can be evaluated, or why it cannot. */
export type Compiled<Input> =
  | { readonly is: 'Compiled'; readonly test: (input: Input) => Verdict }
  | { readonly is: 'Problem'; readonly problem: string };

/** How many steps one evaluation may take; this many are over within tens of milliseconds. */
export const MOST_STEPS = 100_000;

// So many rows of a few columns are measured within tens of milliseconds.
const MOST = { values: 20_000, levels: 64 };

/** Compiles the `filter` of a stage. */
export const compileFilter = (text: string): Compiled<WorkloadObject> =>
  compile(text, filterEnvironment, (object) => ({
    names: ['downsyncClause'],
    raw: object,
    value: () => clauseValue(object),
  }));

/** Compiles the `condition` of a stage. */
export const compileCondition = (text: string): Compiled<CombinedStatus> =>
  compile(text, conditionEnvironment, (status) => ({
    names: ['obj', 'combinedStatus'],
    raw: status,
    value: () => combinedValue(status),
  }));

interface Bindings {
  readonly names: readonly string[];
  /** The value as JSON, by which its size is known. */
  readonly raw: unknown;
  readonly value: () => object;
}

function compile<Input>(
  text: string,
  environment: Environment,
  bind: (input: Input) => Bindings,
): Compiled<Input> {
  const parsed = parse(text, environment);
  if (parsed.is === 'Problem') return parsed;
  const { run, ast } = parsed;
  return {
    is: 'Compiled',
    test: (input) => {
      const { names, raw, value } = bind(input);
      if (!isWithin(raw, MOST)) {
        const message = `Expected at most ${MOST.values} values in ${MOST.levels} levels to be reported, got more. Have fewer rows or columns reported.`;
        return { is: 'Error', message };
      }
      const extent = extentOf(raw);
      const cost = costOf(ast, new Map(names.map((name) => [name, extent])));
      if (cost > MOST_STEPS) {
        const message = `Expected the expression to take at most ${MOST_STEPS} steps over a value of this size, got up to ${cost}. Nest fewer loops, or have fewer rows reported.`;
        return { is: 'Error', message };
      }
      const seen = value();
      return verdictOf(() => run(Object.fromEntries(names.map((name) => [name, seen]))));
    },
  };
}

type Parsed =
  | { readonly is: 'Compiled'; readonly run: ParseResult; readonly ast: ASTNode }
  | { readonly is: 'Problem'; readonly problem: string };

function parse(text: string, environment: Environment): Parsed {
  try {
    const { ast } = environment.parse(text);
    const problem = problemOf(ast);
    if (problem !== undefined) return { is: 'Problem', problem };
    const run = environment.parse(withoutBacktracking(text, ast));
    const { valid, type, error } = run.check();
    if (!valid) return { is: 'Problem', problem: `Expected valid CEL, got: ${said(error)}. Correct it.` };
    if (type === 'bool') return { is: 'Compiled', run, ast };
    return {
      is: 'Problem',
      problem: `Expected an expression that is true or false, got one of type ${type}. Correct it.`,
    };
  } catch (error) {
    return { is: 'Problem', problem: `Expected valid CEL, got: ${said(error)}. Correct it.` };
  }
}

/** Has `matches` go by RE2: the library's own backtracks, and a pattern of a few characters could hold a worker up for ever. */
function withoutBacktracking(text: string, ast: ASTNode): string {
  const calls = [...nodesOf(ast)]
    .flatMap((node) => (node.op === 'rcall' && node.args[0] === 'matches' ? [node] : []))
    .map(({ args: [, receiver, [argument]] }) => ({
      from: receiver.end,
      to: argument?.start ?? receiver.end,
    }))
    .toSorted((a, b) => b.from - a.from);
  return calls.reduce((rewritten, { from, to }) => {
    const between = rewritten.slice(from, to);
    const renamed = between.replace(/\bmatches(?=\s*\()/, MATCHES);
    if (renamed === between) {
      throw new SyntaxError('a comment between matches and its argument');
    }
    return rewritten.slice(0, from) + renamed + rewritten.slice(to);
  }, text);
}

function verdictOf(run: () => unknown): Verdict {
  try {
    const value = run();
    if (value === true) return { is: 'True' };
    if (value === false) return { is: 'False' };
    return { is: 'Error', message: `Expected true or false, got ${typeof value}.` };
  } catch (error) {
    return { is: 'Error', message: said(error) };
  }
}

/** What the library says, without the excerpt of the expression that it draws. */
function said(error: unknown): string {
  const at = error instanceof ParseError || error instanceof EvaluationError ? error.summary : undefined;
  const text = at ?? (error instanceof Error ? error.message : String(error));
  return cut(text.split('\n')[0] ?? '', 300);
}
