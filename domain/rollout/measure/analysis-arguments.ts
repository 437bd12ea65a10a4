import type { AnalysisStep } from '../../../crds/cell.ts';
import { readField } from '../../kubernetes/field-path.ts';

/** An argument of an AnalysisTemplate or AnalysisRun (argoproj.io/v1alpha1). */
export interface AnalysisArgument {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string } | undefined;
    readonly secretKeyRef?: { readonly name: string; readonly key: string } | undefined;
  };
}

type GivenArgument = NonNullable<AnalysisStep['args']>[number];

/** Arguments with their values, or what is wrong with them. */
export type Arguments =
  | { readonly ok: true; readonly args: readonly AnalysisArgument[] }
  | { readonly ok: false; readonly problem: string };

/** Merges declared arguments with those given: the first default counts, two that differ are refused; undeclared ones are passed on. */
export function mergeArguments(
  declared: readonly AnalysisArgument[],
  given: readonly GivenArgument[],
  cell: unknown,
): Arguments {
  const args = new Map<string, AnalysisArgument>();
  for (const arg of declared) {
    const known = args.get(arg.name);
    if (known?.value !== undefined && arg.value !== undefined && known.value !== arg.value) {
      const problem = `The templates have different defaults for the argument ${arg.name}: ${known.value} and ${arg.value}. Make them agree.`;
      return { ok: false, problem };
    }
    const isNews = arg.value !== undefined || arg.valueFrom !== undefined;
    if (known === undefined || (known.value === undefined && isNews)) args.set(arg.name, arg);
  }
  const values = resolveArguments(given, cell);
  if (!values.ok) return values;
  for (const arg of values.args) args.set(arg.name, arg);
  // A default may name a field of the Cell as well.
  return resolveArguments([...args.values()], cell);
}

/** Reads what arguments take from the Cell; a reference to a Secret is passed on, and never read. */
export function resolveArguments(
  given: readonly (GivenArgument | AnalysisArgument)[],
  cell: unknown,
): Arguments {
  const args: AnalysisArgument[] = [];
  for (const { name, value, valueFrom } of given) {
    if (args.some((other) => other.name === name))
      return { ok: false, problem: `Argument ${name} occurs twice. Remove one of them.` };
    if (value !== undefined) {
      args.push({ name, value });
      continue;
    }
    const { fieldRef, secretKeyRef } = valueFrom ?? {};
    if (fieldRef === undefined) {
      args.push(secretKeyRef === undefined ? { name } : { name, valueFrom: { secretKeyRef } });
      continue;
    }
    const found = readField(cell, fieldRef.fieldPath);
    if (!found.ok) return { ok: false, problem: `Argument ${name}: ${found.problem}` };
    args.push({ name, value: found.value });
  }
  return { ok: true, args };
}

/** Puts the values of arguments into a text, where it has `{{args.name}}`. */
export const substitute = (text: string, args: readonly AnalysisArgument[]): string =>
  // Braces end each try, so that none is read twice.
  text.replace(/\{\{([^{}]*)\}\}/g, (whole, inner: string) => {
    const name = inner.trim();
    if (!name.startsWith('args.') || name === 'args.') return whole;
    return args.find((arg) => `args.${arg.name}` === name)?.value ?? '';
  });
