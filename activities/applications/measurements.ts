import { ANALYSIS_RUN, AWS_TARGET_GROUP, CHECK, JOB, type KindRef } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Check } from '../../crds/check.ts';
import type { Metadata } from '../../crds/resource.ts';
import type { ApplicationAction } from '../../domain/applications/situation.ts';
import type { ObservedMeasurement, ObservedRevision } from '../../domain/applications/observation.ts';
import { measuredRevision } from '../../domain/applications/names.ts';
import { isOver } from '../../domain/checks/next-run.ts';
import { isPartial, RUN_LABEL, verdictOfAll } from '../../domain/checks/verdict.ts';
import { ROLLOUT_LABEL, VERSION_LABEL } from '../../domain/kubernetes/labels.ts';
import { isEnded, jobVerdict, type Job } from '../../domain/rollout/measure/job.ts';
import { verdictFrom, type AnalysisVerdict } from '../../domain/rollout/measure/analysis.ts';
import { withoutSuccess } from '../../domain/rollout/measure/measurement.ts';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { VersionSet } from '../../domain/versions/version.ts';
import type { ObjectKey } from '../../domain/model/ids.ts';
import { namedARN } from '../../domain/model/target-group.ts';
import { checkStepActivities } from '../checks/step.ts';
import { given } from '../../domain/model/fields.ts';
import { failure } from '../failure.ts';
import { remove } from '../kubernetes/writes.ts';
import { analysisActivities } from '../rollout/analysis.ts';
import { jobActivities } from '../rollout/job.ts';
import { listMeasuring } from '../rollout/measurements.ts';
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
    (await listMeasuring<T>(kubernetes, kind, key)).filter(({ metadata }) =>
      metadata.ownerReferences?.some((owner) => owner.uid === uid),
    );
  const [jobs, runs, checks] = await Promise.all([
    ownOf<Job & { readonly metadata: Metadata }>(JOB),
    ownOf<Measuring>(ANALYSIS_RUN),
    ownOf<Check>(CHECK),
  ]);
  const byName = Map.groupBy(checks, ({ metadata }) => metadata.labels?.[RUN_LABEL] ?? '');
  const all = [
    ...jobs.map(
      (job) => [applicationOf(job), measured(jobVerdict(job.metadata.name, job), isEnded(job))] as const,
    ),
    ...runs.map((run) => [applicationOf(run), analysed(run)] as const),
    ...[...byName].map(([name, some]) => {
      const isEnding = some.every(({ spec, status }) => spec.terminate === true || isOver(status));
      const measurement = measured(verdictOfAll(name, some), isEnding);
      const [first] = some;
      return [
        first === undefined ? '' : applicationOf(first),
        isPartial(some) ? { ...measurement, isPartial: true } : measurement,
      ] as const;
    }),
  ];
  const byApplication = Map.groupBy(all, ([of]) => of);
  return new Map([...byApplication].map(([of, some]) => [of, some.map(([, measurement]) => measurement)]));
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

/** What a check is started for: a revision, of all that there are. */
interface Starting {
  readonly action: Extract<ApplicationAction, { do: 'StartCheck' }>;
  readonly revision: ObservedRevision;
  readonly revisions: readonly ObservedRevision[];
}

/** Starts an entry of the prechecks, checks or postchecks, or finds what an earlier attempt has started. */
export async function startMeasurement(
  kubernetes: KubernetesClient,
  cell: Pick<ReadCell, 'key' | 'uid' | 'spec'>,
  of: Starting,
): Promise<void> {
  const { action, revision } = of;
  // The spec may say something else by now, and the verdict is about the revision.
  const { application } = revision.content;
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
    const run = { analysis: { templates, ...given({ args }) }, mayBeEndless: false };
    await analysisActivities(kubernetes).startAnalysis({ ...common, step: 0, ...run });
  } else if (analysis !== undefined) {
    const check = { name: action.check, analysis };
    const groups = await kubernetes.list<AWSTargetGroup>(AWS_TARGET_GROUP, { namespace: key.namespace });
    const sides = sidesOf(cell.spec, of, groups);
    await checkStepActivities(kubernetes).startCheck({ ...common, step: 0, check, ...sides });
  }
}

/** What the queries of a check are about: the target groups of a revision, or its clusters. */
function sidesOf(
  spec: ReadCell['spec'],
  { revision, revisions }: Starting,
  groups: readonly AWSTargetGroup[],
) {
  const { application, clusters } = revision.content;
  const good = revisions.find(({ isGood, number }) => isGood && number !== revision.number);
  return {
    listenerARN: application.alb?.listenerARN ?? '',
    canary: sideOf(revision, groups),
    stable: sideOf(good, groups),
    clusters: clusters.map(({ name, eksName, secretName }) => ({
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

/** Asks for the end of what was started by a name, whatever measures; what is not there is left as it is. */
export async function terminateMeasurement(kubernetes: KubernetesClient, at: ObjectKey): Promise<void> {
  await jobActivities(kubernetes).terminateJob(at);
  await analysisActivities(kubernetes).terminateAnalysis(at);
  await checkStepActivities(kubernetes).terminateCheck(at);
}

/** Deletes what was measured for revisions of an application that are not kept any more. */
export async function pruneMeasurements(
  kubernetes: KubernetesClient,
  { key, uid }: Pick<ReadCell, 'key' | 'uid'>,
  application: string,
  old: ReadonlySet<number>,
): Promise<void> {
  if (old.size === 0) return;
  for (const kind of [JOB, ANALYSIS_RUN, CHECK]) {
    for (const object of await listMeasuring<{ readonly metadata: Metadata }>(kubernetes, kind, key)) {
      const { name, labels, ownerReferences = [], uid: own = '' } = object.metadata;
      const number = measuredRevision(labels?.[RUN_LABEL] ?? name);
      const isOld = applicationOf(object) === application && number !== undefined && old.has(number);
      if (!isOld || !ownerReferences.some((owner) => owner.uid === uid)) continue;
      await remove(kubernetes, { kind, key: { namespace: key.namespace, name } }, own);
    }
  }
}
