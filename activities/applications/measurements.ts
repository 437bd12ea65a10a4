import { ANALYSIS_RUN, CHECK, JOB, type KindRef } from '../../clients/kubernetes/kinds.ts';
import { unlessMissing, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { ApplicationOfCell } from '../../crds/application.ts';
import type { Check } from '../../crds/check.ts';
import type { Metadata } from '../../crds/resource.ts';
import type { ApplicationAction } from '../../domain/applications/situation.ts';
import type { ObservedMeasurement, ObservedRevision } from '../../domain/applications/observation.ts';
import { measuredRevision } from '../../domain/applications/names.ts';
import { isOver } from '../../domain/checks/next-run.ts';
import { isPartial, RUN_LABEL, verdictOfAll } from '../../domain/checks/verdict.ts';
import { CELL_LABEL, ROLLOUT_LABEL, VERSION_LABEL } from '../../domain/kubernetes/labels.ts';
import { isEnded, jobVerdict, type Job } from '../../domain/rollout/measure/job.ts';
import { verdictFrom, type AnalysisVerdict } from '../../domain/rollout/measure/analysis.ts';
import { withoutSuccess } from '../../domain/rollout/measure/measurement.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { VersionSet } from '../../domain/versions/version.ts';
import { namedARN } from '../../domain/model/target-group.ts';
import { checkStepActivities } from '../checks/step.ts';
import { given } from '../../domain/model/fields.ts';
import { failure } from '../failure.ts';
import { remove } from '../kubernetes/writes.ts';
import { analysisActivities } from '../rollout/analysis.ts';
import { jobActivities } from '../rollout/job.ts';
import type { ReadCell } from './dependencies.ts';

interface Measuring {
  readonly metadata: Metadata;
  readonly spec?: { readonly terminate?: boolean };
  readonly status?: { readonly phase?: string; readonly message?: string; readonly metricResults?: unknown };
}

/** What was started for the applications of a Cell, by the name of the application. */
export async function findMeasurements(
  kubernetes: Pick<KubernetesClient, 'list'>,
  { key, uid }: Pick<ReadCell, 'key' | 'uid'>,
): Promise<ReadonlyMap<string, readonly ObservedMeasurement[]>> {
  const ownOf = async <T extends { readonly metadata: Metadata }>(kind: KindRef): Promise<readonly T[]> =>
    (await listOf<T>(kubernetes, kind, key)).filter(({ metadata }) =>
      metadata.ownerReferences?.some((owner) => owner.uid === uid),
    );
  const [jobs, runs, checks] = await Promise.all([
    ownOf<Job & { readonly metadata: Metadata }>(JOB),
    ownOf<Measuring>(ANALYSIS_RUN),
    ownOf<Check>(CHECK),
  ]);
  const all = [
    ...jobs.map((job) => ({
      of: applicationOf(job),
      measurement: measured(jobVerdict(job.metadata.name, job), isEnded(job)),
    })),
    ...runs.map((run) => ({ of: applicationOf(run), measurement: analysed(run) })),
    ...[...Map.groupBy(checks, ({ metadata }) => metadata.labels?.[RUN_LABEL] ?? '')].map(([name, some]) => ({
      of: some[0] === undefined ? '' : applicationOf(some[0]),
      measurement: {
        ...measured(
          verdictOfAll(name, some),
          some.every(({ spec, status }) => spec.terminate === true || isOver(status)),
        ),
        ...(isPartial(some) ? { isPartial: true } : {}),
      },
    })),
  ];
  const byApplication = Map.groupBy(all, ({ of }) => of);
  return new Map([...byApplication].map(([of, some]) => [of, some.map(({ measurement }) => measurement)]));
}

const applicationOf = ({ metadata }: { readonly metadata: Metadata }): string =>
  metadata.labels?.[ROLLOUT_LABEL] ?? '';

function analysed({ metadata, spec, status }: Measuring): ObservedMeasurement {
  const verdict = verdictFrom(metadata.name, status);
  const isEnding = spec?.terminate === true;
  return measured(isEnding && verdict.phase === 'Successful' ? withoutSuccess(verdict) : verdict, isEnding);
}

const measured = ({ name, phase, message }: AnalysisVerdict, isEnding: boolean): ObservedMeasurement => ({
  name,
  phase,
  message: message.slice(0, LONGEST_MESSAGE),
  ...(isEnding ? { isEnding } : {}),
});

const LONGEST_MESSAGE = 1_024;

/** Those of a Cell; none of a kind that is not installed. */
const listOf = async <T>(
  kubernetes: Pick<KubernetesClient, 'list'>,
  kind: KindRef,
  { namespace, name }: ReadCell['key'],
): Promise<readonly T[]> => {
  const labelSelector = `${CELL_LABEL}=${name}`;
  return (await unlessMissing(kubernetes.list<T>(kind, { namespace, labelSelector }))) ?? [];
};

type Started = Extract<ApplicationAction, { do: 'StartCheck' }>;
type Terminated = Extract<ApplicationAction, { do: 'TerminateCheck' }>;

interface Starting {
  readonly application: ApplicationOfCell;
  readonly action: Started;
  readonly revisions: readonly ObservedRevision[];
  readonly groups: readonly AWSTargetGroup[];
}

/** Starts an entry of the prechecks, checks or postchecks, or finds what an earlier attempt has started. */
export async function startMeasurement(
  kubernetes: KubernetesClient,
  cell: Pick<ReadCell, 'key' | 'uid' | 'spec'>,
  of: Starting,
): Promise<void> {
  const { application, action } = of;
  const entry = application[action.stage]?.find(({ name }) => name === action.check);
  if (entry === undefined) {
    const message = `${action.check} not found among the ${action.stage} of ${application.name}.`;
    throw failure('Unavailable', message);
  }
  const { job, templates, args, analysis } = entry;
  const { key, uid } = cell;
  const common = {
    cell: { key, uid },
    name: action.name,
    rollout: application.name,
    desiredVersion: String(action.number),
  };
  if (job !== undefined) {
    await jobActivities(kubernetes).startJob({ ...common, job });
  } else if (templates !== undefined) {
    const run = { templates, ...given({ args }) };
    await analysisActivities(kubernetes).startAnalysis({
      ...common,
      step: 0,
      analysis: run,
      mayBeEndless: false,
    });
  } else if (analysis !== undefined) {
    const check = { name: action.check, analysis };
    await checkStepActivities(kubernetes).startCheck({ ...common, step: 0, check, ...sidesOf(cell, of) });
  }
}

/** What the queries of a check are about: the target groups of a revision, or its clusters. */
function sidesOf({ spec }: Pick<ReadCell, 'spec'>, of: Starting) {
  const { application, action, revisions, groups } = of;
  const revision = revisions.find(({ number }) => number === action.number);
  const good = revisions.find(({ isGood, number }) => isGood && number !== action.number);
  return {
    listenerARN: application.alb?.listenerARN ?? '',
    canary: sideOf(revision, groups),
    stable: sideOf(good, groups),
    clusters: (revision?.content.clusters ?? []).map(({ name, eksName, secretName }) => ({
      clusterName: eksName,
      secretName,
      labels: spec.clusters.find((entry) => entry.name === name)?.labels ?? {},
    })),
  };
}

const sideOf = (revision: ObservedRevision | undefined, groups: readonly AWSTargetGroup[]): VersionSet => ({
  version: revision?.version ?? '',
  groups: groups
    .filter(
      ({ metadata, spec }) =>
        metadata.labels?.[VERSION_LABEL] === revision?.version &&
        revision?.content.targetGroups.some(({ arn }) => arn === namedARN({ spec })),
    )
    .map(({ metadata: { name }, spec: { arn } }) => ({ name, arn })),
});

/** Asks for the end of what was started for a revision; without one nobody knows what it was, and what is not there is left as it is. */
export async function terminateMeasurement(
  kubernetes: KubernetesClient,
  { key }: Pick<ReadCell, 'key'>,
  { revision, action }: { readonly revision: ObservedRevision | undefined; readonly action: Terminated },
): Promise<void> {
  const at = { namespace: key.namespace, name: action.name };
  const entries = revision?.content.application[action.stage];
  const entry = entries?.find(({ name }) => name === action.check);
  const { job, templates, analysis } = entry ?? {};
  const isAny = entry === undefined;
  if (isAny || job !== undefined) await jobActivities(kubernetes).terminateJob(at);
  if (isAny || templates !== undefined) await analysisActivities(kubernetes).terminateAnalysis(at);
  if (isAny || analysis !== undefined) await checkStepActivities(kubernetes).terminateCheck(at);
}

/** Deletes what was measured for revisions of an application that are not kept any more. */
export async function pruneMeasurements(
  kubernetes: KubernetesClient,
  { key, uid }: Pick<ReadCell, 'key' | 'uid'>,
  { application, old }: { readonly application: string; readonly old: ReadonlySet<number> },
): Promise<void> {
  if (old.size === 0) return;
  for (const kind of [JOB, ANALYSIS_RUN, CHECK]) {
    for (const object of await listOf<{ readonly metadata: Metadata }>(kubernetes, kind, key)) {
      const { name, labels, ownerReferences = [], uid: own = '' } = object.metadata;
      const number = measuredRevision(labels?.[RUN_LABEL] ?? name);
      const isOld = applicationOf(object) === application && number !== undefined && old.has(number);
      if (!isOld || !ownerReferences.some((owner) => owner.uid === uid)) continue;
      await remove(kubernetes, { kind, key: { namespace: key.namespace, name } }, own);
    }
  }
}
