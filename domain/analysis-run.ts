import type { AnalysisStep } from '../crds/cell.ts';
import { readField } from './field-path.ts';

/** An argument of an AnalysisTemplate or AnalysisRun (argoproj.io/v1alpha1). */
export interface AnalysisArgument {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: unknown;
}

/** A metric, as far as Okra looks into it. */
export interface AnalysisMetric {
  readonly name: string;
  readonly interval?: string;
  readonly count?: number | string;
}

/** The spec of an AnalysisTemplate, as far as Okra looks into it. */
export interface AnalysisTemplateSpec {
  readonly args?: readonly AnalysisArgument[];
  readonly metrics?: readonly AnalysisMetric[];
  readonly dryRun?: readonly unknown[];
  readonly measurementRetention?: readonly unknown[];
}

/** A template under its name. */
export interface NamedTemplate {
  readonly name: string;
  readonly spec: AnalysisTemplateSpec;
}

/** The spec of the AnalysisRun, or what is wrong with the templates or the arguments. */
export type BuiltRun =
  | { readonly ok: true; readonly spec: Record<string, unknown> }
  | { readonly ok: false; readonly problem: string };

/** Merges templates and arguments into the spec of one AnalysisRun. `cell` is what `fieldRef` reads. */
export function buildAnalysisRun(
  templates: readonly NamedTemplate[],
  step: AnalysisStep,
  cell: unknown,
): BuiltRun {
  const problem = problemWith(templates);
  if (problem !== undefined) return { ok: false, problem };
  const args = new Map<string, AnalysisArgument>();
  for (const arg of templates.flatMap((template) => template.spec.args ?? [])) {
    const known = args.get(arg.name);
    if (known?.value !== undefined && arg.value !== undefined && known.value !== arg.value) {
      return {
        ok: false,
        problem: `Expected one default for the argument ${arg.name}, got ${known.value} and ${arg.value}. Pass a value in the step.`,
      };
    }
    args.set(arg.name, { ...known, ...arg });
  }
  for (const arg of step.args ?? []) {
    const given =
      arg.valueFrom === undefined
        ? { ok: true as const, value: arg.value ?? '' }
        : readField(cell, arg.valueFrom.fieldRef.fieldPath);
    if (!given.ok) return given;
    args.set(arg.name, { name: arg.name, value: given.value });
  }
  const open = [...args.values()].find((arg) => arg.value === undefined && arg.valueFrom === undefined);
  if (open !== undefined) {
    return {
      ok: false,
      problem: `Expected a value for the argument ${open.name} of ${names(templates)}, got none. Add it to args of the step.`,
    };
  }
  return { ok: true, spec: specOf(templates, [...args.values()]) };
}

function problemWith(templates: readonly NamedTemplate[]): string | undefined {
  const metrics = templates.flatMap(({ spec }) => spec.metrics ?? []);
  if (metrics.length === 0) return `Expected ${names(templates)} to have metrics, got none.`;
  const repeated = metrics.find(
    (metric, i) => metrics.findIndex((other) => other.name === metric.name) !== i,
  );
  if (repeated !== undefined)
    return `Expected each metric once, got ${repeated.name} twice in ${names(templates)}.`;
  const endless = metrics.find((metric) => metric.interval !== undefined && Number(metric.count ?? 0) === 0);
  if (endless === undefined) return undefined;
  return `Expected the metric ${endless.name} to end, because a step waits for it, got an interval without a count. Step analysis should have non-zero count.`;
}

function specOf(
  templates: readonly NamedTemplate[],
  args: readonly AnalysisArgument[],
): Record<string, unknown> {
  const all = (pick: (spec: AnalysisTemplateSpec) => readonly unknown[] | undefined): readonly unknown[] =>
    templates.flatMap(({ spec }) => pick(spec) ?? []);
  const dryRun = all((spec) => spec.dryRun);
  const measurementRetention = all((spec) => spec.measurementRetention);
  return {
    metrics: all((spec) => spec.metrics),
    args,
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...(measurementRetention.length === 0 ? {} : { measurementRetention }),
  };
}

const names = (templates: readonly NamedTemplate[]): string =>
  `AnalysisTemplate ${templates.map((template) => template.name).join(', ')}`;
