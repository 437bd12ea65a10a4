import { RE2JS } from 're2js';

/** A setting that is about metrics, by their name or by a regular expression. */
export interface MetricSetting {
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
    return `Expected ${field} to have at most ${MOST_SETTINGS} entries in the step and its templates, got ${given.length}. Let one regular expression name several metrics.`;
  const repeated = given.find((name, i) => given.indexOf(name) !== i);
  if (repeated !== undefined)
    return `Expected ${field} to name each metric once, got ${repeated} twice in the step and its templates.`;
  const long = given.find((name) => name.length > LONGEST_EXPRESSION);
  if (long !== undefined)
    return `Expected a name or a regular expression of at most ${LONGEST_EXPRESSION} characters in ${field}, got ${long.length}. Shorten it.`;
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
      return `Expected ${field} to be simple enough to be held against ${names.length} metrics with ${characters} characters in their names, got more work with ${expression}. Use simpler expressions, or fewer metrics.`;
    if (compiled === undefined || !names.some((name) => compiled.test(name)))
      return `Expected ${field} to name metrics of the templates, got ${expression}, which none is.`;
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
