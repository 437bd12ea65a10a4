import { ANALYSIS_RUN } from '../clients/kinds.ts';
import { isConflict, isNotFound, type KubernetesClient } from '../clients/kubernetes.ts';
import { buildAnalysisRun } from '../domain/analysis-run.ts';
import type { AnalysisPhase, AnalysisVerdict } from '../domain/analysis.ts';
import type { ObjectKey } from '../domain/ids.ts';
import { CELL_LABEL, ROLLOUT_LABEL, STEP_LABEL } from '../domain/labels.ts';
import type { Metadata } from '../crds/resource.ts';
import { readTemplates } from './analysis-templates.ts';
import type { AnalysisActivities, AnalysisRequest } from './contract.ts';
import { failure } from './failure.ts';
import { ownedByCell } from './owner.ts';
import { seenCell } from './seen-cell.ts';

interface AnalysisRun {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<Metadata, 'name' | 'namespace' | 'labels' | 'annotations' | 'ownerReferences'>;
  readonly spec: object;
  readonly status?: { readonly phase?: AnalysisPhase | ''; readonly message?: string };
}

/** Makes the activities that start, read and end AnalysisRuns. */
export function analysisActivities(kubernetes: KubernetesClient): AnalysisActivities {
  const read = async (key: ObjectKey): Promise<AnalysisVerdict> => {
    const run = await kubernetes.get<AnalysisRun>(ANALYSIS_RUN, key);
    if (run !== undefined) return verdictOf(run);
    return deleted(key);
  };
  return {
    async startAnalysis(request) {
      const { namespace } = request.cell.key;
      const known = await kubernetes.get<AnalysisRun>(ANALYSIS_RUN, { namespace, name: request.name });
      if (known !== undefined) return verdictOf(known);
      const run = await analysisRunFor(kubernetes, request);
      try {
        return verdictOf(await kubernetes.create(run));
      } catch (error) {
        if (isConflict(error)) return read({ namespace, name: request.name });
        throw error;
      }
    },
    readAnalysis: read,
    async terminateAnalysis(key) {
      try {
        const patch = { spec: { terminate: true } };
        return verdictOf(await kubernetes.patch<AnalysisRun>(ANALYSIS_RUN, key, patch));
      } catch (error) {
        if (isNotFound(error)) return deleted(key);
        throw error;
      }
    },
  };
}

/** A verdict that was deleted cannot be trusted to have been a good one. */
const deleted = ({ name }: ObjectKey): AnalysisVerdict => ({
  name,
  phase: 'Error',
  message: 'The AnalysisRun was deleted before it had come to a verdict.',
});

const verdictOf = ({ metadata, status }: AnalysisRun): AnalysisVerdict => ({
  name: metadata.name,
  phase: status?.phase === undefined || status.phase === '' ? 'Pending' : status.phase,
  message: status?.message ?? '',
});

async function analysisRunFor(kubernetes: KubernetesClient, request: AnalysisRequest): Promise<AnalysisRun> {
  const { cell, name, rollout, step, analysis, mayBeEndless, desiredVersion } = request;
  const { labels, annotations } = analysis.analysisRunMetadata ?? {};
  const templates = await readTemplates(kubernetes, cell.key.namespace, analysis.templates);
  const seen = await seenCell(kubernetes, cell.key, desiredVersion);
  const built = buildAnalysisRun(templates, { analysis, cell: seen, mayBeEndless });
  if (!built.ok) throw failure('AnalysisTemplateInvalid', built.problem);
  return {
    apiVersion: ANALYSIS_RUN.apiVersion,
    kind: ANALYSIS_RUN.kind,
    metadata: {
      namespace: cell.key.namespace,
      name,
      labels: {
        ...labels,
        [CELL_LABEL]: cell.key.name,
        [STEP_LABEL]: String(step),
        [ROLLOUT_LABEL]: rollout,
      },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: ownedByCell(cell),
    },
    spec: built.spec,
  };
}
