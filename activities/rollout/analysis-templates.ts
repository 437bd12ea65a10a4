import { ANALYSIS_TEMPLATE, CLUSTER_ANALYSIS_TEMPLATE, CELL } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { AnalysisTemplateSpec, NamedTemplate } from '../../domain/rollout/measure/analysis-run.ts';
import { failure } from '../failure.ts';
import type { Cell } from '../../crds/cell.ts';
import type { AnalysisRequest } from '../contract.ts';

/** The name of a template, and where it is. */
export interface TemplateReference {
  readonly templateName: string;
  readonly clusterScope?: boolean | undefined;
}

/** Reads templates and all that they refer to, each once and in the order in which they are named. */
export async function readTemplates(
  kubernetes: KubernetesClient,
  namespace: string,
  references: readonly TemplateReference[],
): Promise<readonly NamedTemplate[]> {
  const templates = new Map<string, NamedTemplate>();
  const open = [...references];
  for (let next = open.shift(); next !== undefined; next = open.shift()) {
    const { templateName, clusterScope = false } = next;
    const id = `${clusterScope ? '' : namespace}/${templateName}`;
    if (templates.has(id)) continue;
    const spec = await specOf(kubernetes, namespace, { templateName, clusterScope });
    templates.set(id, { name: templateName, clusterScope, spec });
    open.unshift(...(spec.templates ?? []));
  }
  return [...templates.values()];
}

async function specOf(
  kubernetes: KubernetesClient,
  namespace: string,
  { templateName: name, clusterScope }: Required<TemplateReference>,
): Promise<AnalysisTemplateSpec> {
  const kind = clusterScope === true ? CLUSTER_ANALYSIS_TEMPLATE : ANALYSIS_TEMPLATE;
  const key = clusterScope === true ? { name } : { namespace, name };
  const found = await kubernetes.get<{ spec: AnalysisTemplateSpec }>(kind, key);
  if (found !== undefined) return found.spec;
  const where = clusterScope === true ? '' : ` in namespace ${namespace}`;
  throw failure(
    'AnalysisTemplateNotFound',
    `${kind.kind} ${name} not found${where}. Create it; the rollout then continues.`,
  );
}

/** Reads the Cell that `fieldRef` reads from: as it is, with the version and the sides of this rollout, and of no other. */
export async function seenCell(
  kubernetes: KubernetesClient,
  {
    cell: { key },
    desiredVersion,
    rollout: id,
  }: Pick<AnalysisRequest, 'cell' | 'desiredVersion' | 'rollout'>,
): Promise<unknown> {
  const cell = await kubernetes.get<Cell>(CELL, key);
  const { rollout, ...status } = cell?.status ?? {};
  return { ...cell, status: { ...status, desiredVersion, ...(rollout?.id === id ? { rollout } : {}) } };
}
