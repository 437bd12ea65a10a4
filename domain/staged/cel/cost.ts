import type { ASTNode, ASTOperator } from '@marcbachmann/cel-js';
import { larger, listOf, SCALAR, textOf, type Extent } from './extent.ts';
import { functions } from './functions.ts';
import { macroOf, partsOf } from './macros.ts';
import { patternCost } from './pattern.ts';

/** What an expression costs at most, and how large its value is at most. */
interface Bound {
  readonly cost: number;
  readonly value: Extent;
}

type Variables = ReadonlyMap<string, Extent>;

/**
 * Bounds how many steps an expression takes over values of a known size, before it is evaluated. It never says too little,
 * so that an expression which passes is over soon.
 */
export const costOf = (ast: ASTNode, variables: Variables): number => boundOf(ast, variables).cost;

function boundOf(node: ASTNode, variables: Variables): Bound {
  switch (node.op) {
    case 'value':
      return { cost: 1, value: typeof node.args === 'string' ? textOf(node.args.length) : SCALAR };
    case 'id':
      return { cost: 1, value: variables.get(node.args) ?? SCALAR };
    case 'call':
      return callOf(node.args[0], node.args[1], variables);
    case 'rcall':
      return (
        macroCallOf(node.args, variables) ?? callOf(node.args[0], [node.args[1], ...node.args[2]], variables)
      );
    case '.':
    case '.?':
      return fieldOf(boundOf(node.args[0], variables), node.args[1]);
    default:
      return madeOf(
        node.op,
        partsOf(node).map((part) => boundOf(part, variables)),
      );
  }
}

/** The bound of what an operator or a literal makes of its parts. */
function madeOf(op: ASTOperator, parts: readonly Bound[]): Bound {
  const [a, b] = [parts[0]?.value ?? SCALAR, parts[1]?.value ?? SCALAR];
  const cost = parts.reduce((sum, one) => sum + one.cost, 1);
  switch (op) {
    case 'list':
    case 'map':
      return { cost, value: listOf(parts.length, parts.map(({ value }) => value).reduce(larger, SCALAR)) };
    case '?:':
      return { cost, value: larger(b, parts[2]?.value ?? SCALAR) };
    case '[]':
    case '[?]':
      return { cost, value: a.each ?? SCALAR };
    case '+':
      return { cost: cost + a.total + b.total, value: { ...larger(a, b), ...together(a, b) } };
    case 'in':
      return { cost: cost + a.total * (b.length + 1) + b.total, value: SCALAR };
    default:
      return { cost: cost + a.total + b.total, value: SCALAR };
  }
}

const together = (a: Extent, b: Extent) => ({ length: a.length + b.length, total: a.total + b.total });

function fieldOf({ cost, value }: Bound, name: string): Bound {
  return { cost: cost + 1, value: value.fields?.get(name) ?? value.each ?? SCALAR };
}

function callOf(name: string, args: readonly ASTNode[], variables: Variables): Bound {
  const bounds = args.map((one) => boundOf(one, variables));
  const before = 1 + bounds.reduce((sum, one) => sum + one.cost, 0);
  const values = bounds.map(({ value }) => value);
  if (name === 'has') return { cost: before, value: SCALAR };
  if (name === 'matches') {
    return { cost: before + (values[0]?.total ?? 1) * patternCost(args[1]), value: SCALAR };
  }
  const rule = functions.get(name);
  // What is called is looked at when the expression is compiled; nothing else comes here.
  if (rule === undefined) return { cost: Number.POSITIVE_INFINITY, value: SCALAR };
  const { cost, result } = rule(values);
  return { cost: before + cost, value: result };
}

/** What it takes to begin with the next element of a list. */
const STEP = 3;

function macroCallOf(
  [name, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]],
  variables: Variables,
): Bound | undefined {
  const macro = macroOf(name, args);
  if (macro === undefined) return undefined;
  const over = boundOf(receiver, variables);
  const inner = new Map(variables).set(macro.variable, over.value.each ?? SCALAR);
  const bodies = macro.bodies.map((one) => boundOf(one, inner));
  const each = STEP + bodies.reduce((sum, one) => sum + one.cost, 0);
  const { length } = over.value;
  return { cost: over.cost + 1 + length * each, value: resultOf(name, over.value, bodies.at(-1)?.value) };
}

function resultOf(name: string, over: Extent, last: Extent = SCALAR): Extent {
  if (name === 'map') return listOf(over.length, last);
  return name === 'filter' ? listOf(over.length, over.each ?? SCALAR) : SCALAR;
}
