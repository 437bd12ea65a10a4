import type { AnalysisArgument } from '../../domain/rollout/measure/analysis-arguments.ts';
import type { NamedTemplate } from '../../domain/rollout/measure/analysis-run.ts';
import { badUsage, failed } from './exit.ts';

// A comma within a value is none between two arguments.
const BETWEEN = /,(?=[A-Za-z0-9._-]+=)/;

/** Reads `name=value,…`, as often as the option was given. */
export function parseArguments(texts: readonly string[]): readonly AnalysisArgument[] {
  return texts
    .flatMap((text) => text.split(BETWEEN))
    .map((pair) => {
      const [name, value] = pairOf(pair, 'NAME=VALUE with --args');
      return { name, value };
    });
}

/** Reads `name=secret.key,…`, as often as the option was given; what is in the Secret is not read. */
export function parseSecretArguments(texts: readonly string[]): readonly AnalysisArgument[] {
  return texts
    .flatMap((text) => text.split(BETWEEN))
    .map((pair) => {
      const [argument, reference] = pairOf(pair, 'NAME=SECRET.KEY with --args-from-secrets');
      const dot = reference.indexOf('.');
      const [name, key] = [reference.slice(0, dot), reference.slice(dot + 1)];
      if (dot < 1 || key === '')
        throw badUsage(`Expected NAME=SECRET.KEY with --args-from-secrets, got ${JSON.stringify(pair)}.`);
      return { name: argument, valueFrom: { secretKeyRef: { name, key } } };
    });
}

function pairOf(pair: string, expected: string): readonly [string, string] {
  const equals = pair.indexOf('=');
  if (equals < 1) throw badUsage(`Expected ${expected}, got ${JSON.stringify(pair)}.`);
  return [pair.slice(0, equals), pair.slice(equals + 1)];
}

/** Refuses an argument that no template declares: it is a slip, and would be passed on in silence. */
export function refuseUnknown(given: readonly AnalysisArgument[], templates: readonly NamedTemplate[]): void {
  const declared = new Set(templates.flatMap(({ spec }) => (spec.args ?? []).map(({ name }) => name)));
  const unknown = given.find(({ name }) => !declared.has(name));
  if (unknown === undefined) return;
  const names = templates.map(({ name }) => name).join(', ');
  throw failed(
    `argument ${unknown.name} does not exist in analysisrun template ${names}. It has: ${[...declared].join(', ') || 'none'}.`,
  );
}
