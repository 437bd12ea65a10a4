import { readTemplates, type TemplateReference } from '../../activities/rollout/analysis-templates.ts';
import { ANALYSIS_RUN } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { buildAnalysisRun } from '../../domain/rollout/measure/analysis-run.ts';
import type { AnalysisOptions } from './analysis-options.ts';
import { parseArguments, parseSecretArguments, refuseUnknown } from './analysis-arguments.ts';
import { badUsage, failed } from './exit.ts';

/** An AnalysisRun (argoproj.io/v1alpha1), as far as it is looked at. */
export interface AnalysisRun {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec?: object;
  readonly status?: {
    readonly phase?: string;
    readonly message?: string;
    readonly metricResults?: readonly {
      readonly name?: string;
      readonly phase?: string;
      readonly message?: string;
      readonly measurements?: readonly { readonly phase?: string; readonly message?: string }[];
    }[];
  };
}

/** The label that says when an AnalysisRun was made by a person: `20261122100000`. */
export const TIMESTAMP_LABEL = 'okra.mumo.co/timestamp';

/** Makes an AnalysisRun of templates and arguments, as a rollout does; nothing is created yet. */
export async function newAnalysisRun(
  kubernetes: KubernetesClient,
  { namespace, name, now }: { readonly namespace: string; readonly name: string; readonly now: number },
  options: AnalysisOptions,
): Promise<AnalysisRun> {
  const { templateName = [], clusterTemplateName = [], args = [], argsFromSecrets = [] } = options;
  const references: readonly TemplateReference[] = [
    ...templateName.map((one) => ({ templateName: one })),
    ...clusterTemplateName.map((one) => ({ templateName: one, clusterScope: true })),
  ];
  if (references.length === 0)
    throw badUsage(
      'Expected an AnalysisTemplate, got none. Name one with --template-name or --cluster-template-name.',
    );
  const given = [...parseArguments(args), ...parseSecretArguments(argsFromSecrets)];
  const templates = await readTemplates(kubernetes, namespace, references);
  refuseUnknown(given, templates);
  // There is no Cell whose fields an argument could take.
  const built = buildAnalysisRun(templates, {
    analysis: { args: [...given] },
    cell: {},
    mayBeEndless: false,
  });
  if (!built.ok) throw failed(built.problem);
  const timestamp = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '');
  return {
    apiVersion: ANALYSIS_RUN.apiVersion,
    kind: ANALYSIS_RUN.kind,
    metadata: { name, namespace, labels: { [TIMESTAMP_LABEL]: timestamp } },
    spec: built.spec,
  };
}
