import type { AnalysisStep } from '../../../crds/cell.ts';
import type { BuiltSpec } from './analysis.ts';
import { mergeArguments, substitute, type AnalysisArgument } from './analysis-arguments.ts';
import { RE2JS } from 're2js';

/** A setting that is about metrics, by their name or by a regular expression. */
interface MetricSetting {
  readonly metricName: string;
}

// Templates are written by tenants: what cannot be meant must not cost the time of others.
const MOST_SETTINGS = 100;
const LONGEST_EXPRESSION = 256;
/** Instructions of the compiled expression times characters of the names: about a second. */
const MOST_WORK = 10_000_000;

/** Says what is wrong with the settings of a field, by the rules of Argo Rollouts: each is about at least one metric. */
export function problemWithSettings(
  field: string,
  settings: readonly MetricSetting[],
  metrics: readonly { readonly name: string }[],
): string | undefined {
  const given = settings.map((setting) => setting.metricName);
  if (given.length > MOST_SETTINGS)
    return `${field} must have at most ${MOST_SETTINGS} entries in the step and its templates, and has ${given.length}. Name several metrics by one regular expression.`;
  const repeated = given.find((name, i) => given.indexOf(name) !== i);
  if (repeated !== undefined)
    return `${field} names ${repeated} twice in the step and its templates. Name each metric once.`;
  const long = given.find((name) => name.length > LONGEST_EXPRESSION);
  if (long !== undefined)
    return `A name or regular expression in ${field} has ${long.length} characters; at most ${LONGEST_EXPRESSION} are allowed. Shorten it.`;
  return problemWithExpressions(
    field,
    given,
    metrics.map(({ name }) => name),
  );
}

function problemWithExpressions(
  field: string,
  given: readonly string[],
  names: readonly string[],
): string | undefined {
  const characters = names.reduce((sum, name) => sum + name.length, 0);
  let work = 0;
  for (const expression of given) {
    const compiled = compile(expression);
    work += (compiled?.programSize() ?? 0) * characters;
    if (work > MOST_WORK)
      return `${expression} in ${field} is too complex to match against ${names.length} metrics with ${characters} characters in their names. Use simpler expressions, or fewer metrics.`;
    if (compiled === undefined || !names.some((name) => compiled.test(name)))
      return `${expression} in ${field} matches no metric of the templates.`;
  }
  return undefined;
}

// Argo Rollouts matches with the syntax of RE2, without backtracking: the time grows with the length of a name alone.
function compile(expression: string): RE2JS | undefined {
  try {
    return RE2JS.compile(expression);
  } catch {
    return undefined;
  }
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
  readonly dryRun?: readonly MetricSetting[];
  readonly measurementRetention?: readonly MetricSetting[];
  readonly templates?: readonly { readonly templateName: string; readonly clusterScope?: boolean }[];
}

/** A template under its name. */
export interface NamedTemplate {
  readonly name: string;
  readonly clusterScope?: boolean;
  readonly spec: AnalysisTemplateSpec;
}

interface RunInput {
  readonly analysis: Pick<AnalysisStep, 'args' | 'dryRun' | 'measurementRetention'>;
  readonly cell: unknown;
  /** Whether its metrics may measure without an end, because someone else ends the AnalysisRun. */
  readonly mayBeEndless: boolean;
}

/** Merges templates and arguments into the spec of one AnalysisRun, by the rules of Argo Rollouts. */
export function buildAnalysisRun(templates: readonly NamedTemplate[], input: RunInput): BuiltSpec {
  const { analysis, cell } = input;
  const declared = templates.flatMap(({ spec }) => spec.args ?? []);
  const args = mergeArguments(declared, analysis.args ?? [], cell);
  if (!args.ok) return args;
  const open = args.args.find((arg) => arg.value === undefined && arg.valueFrom === undefined);
  if (open !== undefined) {
    const problem = `Argument ${open.name} of ${names(templates)} has no value. Add it to args.`;
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
  if (metrics.length === 0) return `${names(templates)} has no metrics.`;
  const seen = new Set<string>();
  const repeated = metrics.find(({ name }) => seen.size === seen.add(name).size);
  return repeated === undefined ? undefined : `Metric ${repeated.name} occurs twice in ${names(templates)}.`;
}

/** Says which metric has no end: one with an interval and without a count (`EffectiveCount` of Argo Rollouts). */
function endless(metrics: readonly AnalysisMetric[], args: readonly AnalysisArgument[]): string | undefined {
  const found = metrics.find(
    ({ interval = '', count = 0 }) => interval !== '' && !(Number(substitute(String(count), args)) > 0),
  );
  if (found === undefined) return undefined;
  return `Metric ${found.name} would never end: it has an interval without a count, and a step waits for its end. Step analysis should have non-zero count.`;
}

const names = (templates: readonly NamedTemplate[]): string =>
  templates
    .map(
      ({ name, clusterScope = false }) =>
        `${clusterScope ? 'ClusterAnalysisTemplate' : 'AnalysisTemplate'} ${name}`,
    )
    .join(', ');
