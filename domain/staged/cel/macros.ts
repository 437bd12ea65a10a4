import type { ASTNode } from '@marcbachmann/cel-js';

/** A macro that goes through a list: the variable that stands for an element, and what is evaluated for each. */
export interface Macro {
  readonly variable: string;
  readonly bodies: readonly ASTNode[];
}

const macros: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** The macro that a call on a value is; undefined when it is a function. */
export function macroOf(name: string, args: readonly ASTNode[]): Macro | undefined {
  const [variable, ...bodies] = args;
  if (!macros.has(name) || variable?.op !== 'id') return undefined;
  return { variable: variable.args, bodies };
}

/** The nodes that a node is made of. */
export function partsOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'map':
      return node.args.flat();
    case '!_':
    case '-_':
      return [node.args];
    default:
      return node.args;
  }
}

/** All nodes of an expression. */
export function* nodesOf(node: ASTNode): Generator<ASTNode> {
  yield node;
  for (const part of partsOf(node)) yield* nodesOf(part);
}
