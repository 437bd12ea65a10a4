import type { ExperimentStep } from '../../../crds/cell.ts';
import { resolveArguments } from './analysis-arguments.ts';
import {
  inconclusive,
  isFinished,
  verdictFrom,
  withoutEvidence,
  type AnalysisVerdict,
  type BuiltSpec,
} from './analysis.ts';
import { cut, LONGEST_SAID } from '../../text.ts';
import { recordsIn } from '../../model/fields.ts';
import { matches, type LabelSelector } from '../../kubernetes/selector.ts';

/** A ReplicaSet (apps/v1), as far as an Experiment takes its pods from it. */
export interface ReplicaSet {
  readonly spec: {
    readonly minReadySeconds?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplate;
  };
}

interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
}

/** The status of an Experiment (argoproj.io/v1alpha1), as far as Okra looks into it. */
export interface ExperimentStatus {
  readonly phase?: string;
  readonly message?: string;
  readonly analysisRuns?: readonly { readonly analysisRun?: string }[];
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly message?: string;
  }[];
}

type Template = ExperimentStep['templates'][number];

// What the ReplicaSet of a Deployment or Rollout is told apart by; the Experiment adds its own.
const HASHES: readonly string[] = ['pod-template-hash', 'rollouts-pod-template-hash'];

/** How long pods may take to become available when nobody says otherwise, as in Argo Rollouts. */
const PROGRESS_DEADLINE_SECONDS = 600;

/** Builds the spec of an Experiment; `replicaSets` has one for each template, and `cell` is what `fieldRef` reads. */
export function buildExperiment(
  step: ExperimentStep,
  replicaSets: readonly ReplicaSet[],
  cell: unknown,
): BuiltSpec {
  const templates: object[] = [];
  for (const [index, template] of step.templates.entries()) {
    const replicaSet = replicaSets[index];
    if (replicaSet === undefined)
      return { ok: false, problem: `ReplicaSet ${template.specRef} not found. Create it.` };
    const built = templateOf(template, replicaSet);
    const problem = problemWith(template, built, step);
    if (problem !== undefined) return { ok: false, problem };
    templates.push(built);
  }
  const analyses: object[] = [];
  for (const { args = [], ...analysis } of step.analyses ?? []) {
    const values = resolveArguments(args, cell);
    if (!values.ok) return values;
    analyses.push({ ...analysis, args: values.args });
  }
  const { duration, templates: _templates, analyses: _analyses, ...settings } = step;
  return {
    ok: true,
    spec: {
      ...(duration === undefined ? {} : { duration: inWords(duration) }),
      ...settings,
      templates,
      ...(analyses.length === 0 ? {} : { analyses }),
    },
  };
}

/** How far an Experiment has come; it waits for its pods as Pending, up to a deadline of its own. One whose spec Argo Rollouts refuses gets no phase, and comes to nothing. */
export function experimentVerdict(name: string, status: ExperimentStatus = {}): AnalysisVerdict {
  const invalid = status.conditions?.find((one) => one.type === 'InvalidSpec' && one.status === 'True');
  if (invalid !== undefined) {
    return { name, phase: 'Error', message: cut(invalid.message ?? '', LONGEST_SAID) };
  }
  const { phase, message = '' } = status;
  return verdictFrom(name, phase === 'Pending' && message === '' ? { phase, message: PODS } : status);
}

const PODS = 'Its pods are not available yet.';

/** The verdict of a successful Experiment, by the AnalysisRuns that it has made; one that measured nothing decides nothing. */
export function experimentByRuns(
  verdict: AnalysisVerdict,
  runs: readonly { readonly name: string; readonly metricResults?: unknown }[],
): AnalysisVerdict {
  for (const { name, metricResults } of runs) {
    const metric = withoutEvidence(metricResults);
    if (metric !== undefined) return inconclusive(verdict.name, `${metric} of AnalysisRun ${name}`);
    if (recordsIn(metricResults).length === 0)
      return {
        ...verdict,
        phase: 'Inconclusive',
        message: `cannot decide: AnalysisRun ${name} has no measurement.`,
      };
  }
  return verdict;
}

/** Whether an Experiment measures no more. */
export const hasEnded = (status: ExperimentStatus | undefined): boolean =>
  isFinished(experimentVerdict('', status).phase);

interface BuiltTemplate {
  readonly name: string;
  readonly replicas: number;
  readonly minReadySeconds?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplate;
}

function templateOf({ name, replicas, selector, metadata }: Template, { spec }: ReplicaSet): BuiltTemplate {
  const { metadata: own = {}, ...pod } = spec.template;
  const labels = { ...withoutHashes(own.labels), ...metadata?.labels };
  const chosen = selector ?? withoutHash(spec.selector);
  return {
    name,
    replicas,
    ...(spec.minReadySeconds === undefined ? {} : { minReadySeconds: spec.minReadySeconds }),
    // As in Argo Rollouts: what is added to the pods is added to what selects them.
    selector:
      metadata?.labels === undefined
        ? chosen
        : { ...chosen, matchLabels: { ...chosen.matchLabels, ...metadata.labels } },
    template: {
      ...pod,
      metadata: {
        labels,
        ...(own.annotations === undefined && metadata?.annotations === undefined
          ? {}
          : { annotations: { ...own.annotations, ...metadata?.annotations } }),
      },
    },
  };
}

function problemWith(given: Template, built: BuiltTemplate, step: ExperimentStep): string | undefined {
  const { selector, template, minReadySeconds = 0 } = built;
  if (!matches(selector, template.metadata?.labels)) {
    return `The selector of template ${given.name} does not select the pods of ReplicaSet ${given.specRef}. Correct the selector, or add the labels by metadata.labels.`;
  }
  const deadline = step.progressDeadlineSeconds ?? PROGRESS_DEADLINE_SECONDS;
  if (minReadySeconds <= deadline) return undefined;
  return `minReadySeconds of ReplicaSet ${given.specRef} (${minReadySeconds}) must be at most progressDeadlineSeconds (${deadline}). Raise progressDeadlineSeconds.`;
}

const withoutHashes = (labels: Readonly<Record<string, string>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !HASHES.includes(key)));

function withoutHash({ matchLabels, matchExpressions, ...rest }: LabelSelector): LabelSelector {
  return {
    ...rest,
    ...(matchLabels === undefined ? {} : { matchLabels: withoutHashes(matchLabels) }),
    ...(matchExpressions === undefined
      ? {}
      : { matchExpressions: matchExpressions.filter(({ key }) => !HASHES.includes(key)) }),
  };
}

/** A duration as Argo Rollouts reads it, which knows no number without a unit. */
const inWords = (duration: number | string): string =>
  typeof duration === 'number' || /^\d+$/.test(duration) ? `${duration}s` : duration;
