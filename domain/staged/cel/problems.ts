import type { ASTNode } from '@marcbachmann/cel-js';
import { functions } from './functions.ts';
import { macroOf, nodesOf } from './macros.ts';
import { patternOf } from './pattern.ts';

/** Says what of an expression may not be, although it is CEL; undefined when nothing is wrong. */
export function problemOf(ast: ASTNode): string | undefined {
  for (const node of nodesOf(ast)) {
    const problem = callProblem(node) ?? comparisonProblem(node);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function callProblem(node: ASTNode): string | undefined {
  if (node.op !== 'call' && node.op !== 'rcall') return undefined;
  const [name] = node.args;
  if (node.op === 'call' && name === 'has') return undefined;
  if (node.op === 'rcall' && name === 'matches') {
    const pattern = patternOf(node.args[2][0]);
    return pattern.is === 'Problem' ? pattern.problem : undefined;
  }
  const isMacro = node.op === 'rcall' && macroOf(name, node.args[2]) !== undefined;
  if (isMacro || functions.has(name)) return undefined;
  return `Expected one of the functions that Okra knows, got ${name}. See the documentation of StagedBindingPolicy for them.`;
}

const ordering: ReadonlySet<string> = new Set(['<', '<=', '>', '>=']);

/** KubeStellar writes numbers as text, and texts are ordered by their characters: "9" is after "10". */
function comparisonProblem(node: ASTNode): string | undefined {
  if (!ordering.has(node.op)) return undefined;
  const [left, right] = node.args as readonly [ASTNode, ASTNode];
  if (!isNumberText(left) && !isNumberText(right)) return undefined;
  return `Expected numbers beside ${node.op}, got float, which holds a number as text. Write double(….float).`;
}

const isNumberText = (node: ASTNode): boolean => node.op === '.' && node.args[1] === 'float';
