import type { AnalysisStep } from '../../../crds/cell.ts';
import { merged, resolved, type AnalysisArgument } from './analysis-arguments.ts';
import { problemWithSettings, type MetricSetting } from './metric-settings.ts';

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
  readonly dryRun?: readonly MetricSetting[];
  readonly measurementRetention?: readonly MetricSetting[];
  /** Templates whose metrics are added. */
  readonly templates?: readonly { readonly templateName: string; readonly clusterScope?: boolean }[];
}

/** A template under its name. */
export interface NamedTemplate {
  readonly name: string;
  readonly clusterScope?: boolean;
  readonly spec: AnalysisTemplateSpec;
}

/** What an AnalysisRun is made of besides its templates, and what `fieldRef` reads. */
export interface RunInput {
  readonly analysis: Pick<AnalysisStep, 'args' | 'dryRun' | 'measurementRetention'>;
  readonly cell: unknown;
  /** Whether its metrics may measure without an end, because someone else ends the AnalysisRun. */
  readonly mayBeEndless: boolean;
}

/** The spec of the AnalysisRun, or what is wrong with the templates or the arguments. */
export type BuiltRun =
  | { readonly ok: true; readonly spec: Record<string, unknown> }
  | { readonly ok: false; readonly problem: string };

/** Merges templates and arguments into the spec of one AnalysisRun, by the rules of Argo Rollouts. */
export function buildAnalysisRun(templates: readonly NamedTemplate[], input: RunInput): BuiltRun {
  const { analysis, cell } = input;
  const declared = templates.flatMap(({ spec }) => spec.args ?? []);
  const args = merged(declared, analysis.args ?? [], cell);
  if (!args.ok) return args;
  const open = args.args.find((arg) => arg.value === undefined && arg.valueFrom === undefined);
  if (open !== undefined) {
    const problem = `Expected a value for the argument ${open.name} of ${names(templates)}, got none. Add it to args.`;
    return { ok: false, problem };
  }
  const all = <Value>(pick: (spec: AnalysisTemplateSpec) => readonly Value[] | undefined): readonly Value[] =>
    templates.flatMap(({ spec }) => pick(spec) ?? []);
  const metrics = all((spec) => spec.metrics);
  const dryRun = [...(analysis.dryRun ?? []), ...all((spec) => spec.dryRun)];
  const retention = [...(analysis.measurementRetention ?? []), ...all((spec) => spec.measurementRetention)];
  const problem =
    problemWithMetrics(metrics, templates) ??
    (input.mayBeEndless ? undefined : endless(metrics, args.args)) ??
    problemWithSettings('dryRun', dryRun, metrics) ??
    problemWithSettings('measurementRetention', retention, metrics);
  if (problem !== undefined) return { ok: false, problem };
  return {
    ok: true,
    spec: {
      metrics,
      args: args.args,
      ...(dryRun.length === 0 ? {} : { dryRun }),
      ...(retention.length === 0 ? {} : { measurementRetention: retention }),
    },
  };
}

function problemWithMetrics(
  metrics: readonly AnalysisMetric[],
  templates: readonly NamedTemplate[],
): string | undefined {
  if (metrics.length === 0) return `Expected ${names(templates)} to have metrics, got none.`;
  const seen = new Set<string>();
  const repeated = metrics.find(({ name }) => seen.size === seen.add(name).size);
  return repeated === undefined
    ? undefined
    : `Expected each metric once, got ${repeated.name} twice in ${names(templates)}.`;
}

/** Says which metric has no end: one with an interval and without a count (`EffectiveCount` of Argo Rollouts). */
function endless(metrics: readonly AnalysisMetric[], args: readonly AnalysisArgument[]): string | undefined {
  const found = metrics.find(
    ({ interval = '', count = 0 }) => interval !== '' && !(Number(resolved(String(count), args)) > 0),
  );
  if (found === undefined) return undefined;
  return `Expected the metric ${found.name} to end, because a step waits for it, got an interval without a count. Step analysis should have non-zero count.`;
}

const names = (templates: readonly NamedTemplate[]): string =>
  templates
    .map(
      ({ name, clusterScope = false }) =>
        `${clusterScope ? 'ClusterAnalysisTemplate' : 'AnalysisTemplate'} ${name}`,
    )
    .join(', ');
