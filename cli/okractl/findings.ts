import type { resources } from '../../crds/index.ts';
import type { TemporalFindings } from '../../clients/temporal/operator.ts';
import { registration } from '../../clients/temporal/search-attributes.ts';
import { canonical } from '../../domain/kubernetes/canonical.ts';
import { fieldsIn, isRecord, recordsIn } from '../../domain/model/shape.ts';
import { inOneLine } from '../terminal-text.ts';

/** What was found out about one thing that Okra needs. */
export interface Finding {
  readonly is: 'Fine' | 'Problem' | 'Unknown';
  readonly what: string;
}

/** Says that something is as it has to be. */
export const fine = (what: string): Finding => ({ is: 'Fine', what });
/** Says what is lacking. */
export const problem = (what: string): Finding => ({ is: 'Problem', what });
/** Says what could not be found out. */
export const unknown = (what: string): Finding => ({ is: 'Unknown', what });

/** Judges the definition of a kind as it is installed; undefined: there is none. */
export function judgeDefinition(kind: (typeof resources)[number], installed: unknown): Finding {
  const { plural, apiVersion } = kind;
  if (installed === undefined)
    return problem(
      `Expected the kind ${kind.kind} (${apiVersion}), got none. Install it by kubectl apply -f crds/manifests, or with the chart.`,
    );
  const schemaOf = (definition: unknown): unknown => {
    const [version] = recordsIn(fieldsIn(fieldsIn(definition)['spec'])['versions']);
    return fieldsIn(version?.['schema'])['openAPIV3Schema'];
  };
  const isSame = canonical(asKept(schemaOf(installed))) === canonical(asKept(schemaOf(kind.manifest())));
  return isSame
    ? fine(`${plural} are defined as this okractl knows them`)
    : problem(
        `Expected the definition of ${plural} to be that of this okractl, got another. Install the definitions of the version of okrad, and use the okractl of the same version.`,
      );
}

/** A schema as the API server keeps it: without properties of which there are none. */
function asKept(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(asKept);
  if (!isRecord(schema)) return schema;
  const isEmpty = (key: string, value: unknown): boolean =>
    key === 'properties' && isRecord(value) && Object.keys(value).length === 0;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !isEmpty(key, value))
      .map(([key, value]) => [key, asKept(value)]),
  );
}

/** Judges what Temporal has and lacks. */
export function judgeTemporal(
  { missingAttributes, unpolled }: TemporalFindings,
  { namespace, taskQueue }: { readonly namespace: string; readonly taskQueue: string },
): readonly Finding[] {
  return [attributesFinding(missingAttributes, namespace), pollsFinding(unpolled, taskQueue)];
}

function attributesFinding(missing: readonly string[] | undefined, namespace: string): Finding {
  if (missing === undefined) return unknown('Temporal does not tell which search attributes there are');
  if (missing.length === 0) return fine('the search attributes are registered');
  return problem(
    `Expected the search attributes ${missing.join(', ')} in namespace ${namespace}, got none. ${registration(namespace, missing)}`,
  );
}

function pollsFinding(unpolled: readonly string[] | undefined, taskQueue: string): Finding {
  if (unpolled === undefined) return unknown('Temporal does not tell which workers poll');
  if (unpolled.length === 0) return fine(`workers poll ${taskQueue} and the queues beside it`);
  return problem(
    `Expected a worker to poll ${unpolled.join(', ')}, got none: no rollout goes on. Start okrad, or set OKRA_TASK_QUEUE to the queue that it has.`,
  );
}

const marks = { Fine: 'ok      ', Problem: 'PROBLEM ', Unknown: '?       ' } as const;

/** A line for each finding. */
export const formatFindings = (findings: readonly Finding[]): string =>
  findings.map(({ is, what }) => `${marks[is]}${inOneLine(what)}`).join('\n');
