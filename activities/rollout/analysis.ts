import { ANALYSIS_RUN } from '../../clients/kubernetes/kinds.ts';
import { isNotFound, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { buildAnalysisRun } from '../../domain/rollout/measure/analysis-run.ts';
import { verdictFrom, type AnalysisVerdict } from '../../domain/rollout/measure/analysis.ts';
import { markEnded, type ReadVerdict } from '../../domain/rollout/measure/measurement.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { CELL_LABEL, ROLLOUT_LABEL, STEP_LABEL } from '../../domain/kubernetes/labels.ts';
import type { Metadata } from '../../crds/resource.ts';
import { readTemplates, seenCell } from './analysis-templates.ts';
import type { AnalysisActivities, AnalysisRequest } from '../contract.ts';
import { createOnce } from '../kubernetes/writes.ts';
import { failure } from '../failure.ts';
import { ownedByCell } from '../kubernetes/owner-references.ts';

interface AnalysisRun {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<Metadata, 'name' | 'namespace' | 'labels' | 'annotations' | 'ownerReferences'>;
  readonly spec: { readonly terminate?: boolean };
  readonly status?: { readonly phase?: string; readonly message?: string; readonly metricResults?: unknown };
}

/** Makes the activities that start, read and end AnalysisRuns. */
export function analysisActivities(kubernetes: KubernetesClient): AnalysisActivities {
  return {
    async startAnalysis(request) {
      const key = { namespace: request.cell.key.namespace, name: request.name };
      const of = { kind: ANALYSIS_RUN, key };
      return reading(key, await createOnce(kubernetes, of, () => analysisRunFor(kubernetes, request)));
    },
    readAnalysis: async (key) => reading(key, await kubernetes.get<AnalysisRun>(ANALYSIS_RUN, key)),
    async terminateAnalysis(key) {
      try {
        const patch = { spec: { terminate: true } };
        return verdict(key, await kubernetes.patch<AnalysisRun>(ANALYSIS_RUN, key, patch));
      } catch (error) {
        if (isNotFound(error)) return verdict(key, undefined);
        throw error;
      }
    },
  };
}

const reading = (key: ObjectKey, run: AnalysisRun | undefined): ReadVerdict =>
  markEnded(verdict(key, run), run?.spec);

/** How far a run has come; a verdict that was deleted cannot be trusted to have been a good one. */
function verdict({ name }: ObjectKey, run: AnalysisRun | undefined): AnalysisVerdict {
  if (run === undefined) {
    const message = 'The AnalysisRun was deleted before it had come to a verdict.';
    return { name, phase: 'Error', message };
  }
  return verdictFrom(name, run.status);
}

async function analysisRunFor(kubernetes: KubernetesClient, request: AnalysisRequest): Promise<AnalysisRun> {
  const { cell, name, rollout, step, analysis, mayBeEndless } = request;
  const { labels, annotations } = analysis.analysisRunMetadata ?? {};
  const templates = await readTemplates(kubernetes, cell.key.namespace, analysis.templates);
  const seen = await seenCell(kubernetes, request);
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
