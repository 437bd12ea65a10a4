import { ANALYSIS_RUN } from '../../clients/kubernetes/kinds.ts';
import {
  unlessMissing,
  type Identified,
  type KubernetesClient,
} from '../../clients/kubernetes/kubernetes.ts';
import { buildAnalysisRun } from '../../domain/rollout/measure/analysis-run.ts';
import { verdictFrom, type AnalysisVerdict } from '../../domain/rollout/measure/analysis.ts';
import { markEnded, type ReadVerdict } from '../../domain/rollout/measure/measurement.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { readTemplates, seenCell } from './analysis-templates.ts';
import type { AnalysisActivities, AnalysisRequest } from '../contract.ts';
import { createOnce } from '../kubernetes/writes.ts';
import { failure } from '../failure.ts';
import { measuringObject } from '../kubernetes/owner-references.ts';

interface AnalysisRun extends Identified {
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
      const patch = { spec: { terminate: true } };
      return verdict(key, await unlessMissing(kubernetes.patch<AnalysisRun>(ANALYSIS_RUN, key, patch)));
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
  const { cell, analysis, mayBeEndless } = request;
  const templates = await readTemplates(kubernetes, cell.key.namespace, analysis.templates);
  const seen = await seenCell(kubernetes, request);
  const built = buildAnalysisRun(templates, { analysis, cell: seen, mayBeEndless });
  if (!built.ok) throw failure('AnalysisTemplateInvalid', built.problem);
  return measuringObject(ANALYSIS_RUN, request, built.spec, analysis.analysisRunMetadata);
}
