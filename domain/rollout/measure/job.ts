import type { JobSpec } from '../../../crds/update-strategy.ts';
import { parseDuration } from '../../duration.ts';
import { given } from '../../model/fields.ts';
import { cut, LONGEST_SAID } from '../../text.ts';
import type { AnalysisPhase, AnalysisVerdict, BuiltSpec } from './analysis.ts';

/** A Job of Kubernetes, as far as Okra looks into it. */
export interface Job {
  readonly spec?: { readonly activeDeadlineSeconds?: number; readonly suspend?: boolean };
  readonly status?: JobStatus;
}

/** The status of a Job, as far as Okra looks into it. */
export interface JobStatus {
  readonly active?: number;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
    readonly message?: string;
  }[];
}

/** Ends a Job: Kubernetes stops its pods and calls it Failed, so that it is kept and not run again; none of a Cell has this from the start. */
export const ENDED = { activeDeadlineSeconds: 0 } as const;

/** Whether someone has asked for the end of a Job. */
export const isEnded = ({ spec }: Pick<Job, 'spec'>): boolean =>
  spec?.activeDeadlineSeconds === ENDED.activeDeadlineSeconds;

const conditionOf = ({ conditions = [] }: JobStatus, type: string) =>
  conditions.find((one) => one.type === type && one.status === 'True');

/** The phase of a Job, in the words of an AnalysisRun; what Kubernetes is about to fail has failed. */
export function jobPhase({ status = {} }: Pick<Job, 'status'>): AnalysisPhase {
  if (conditionOf(status, 'Complete') !== undefined) return 'Successful';
  if (failureOf(status) !== undefined) return 'Failed';
  return (status.active ?? 0) > 0 ? 'Running' : 'Pending';
}

const failureOf = (status: JobStatus) =>
  conditionOf(status, 'Failed') ?? conditionOf(status, 'FailureTarget');

/** How far a Job has come; one that was deleted cannot be trusted to have been successful. */
export function jobVerdict(name: string, job: Job | undefined): AnalysisVerdict {
  if (job === undefined)
    return { name, phase: 'Error', message: 'The Job was deleted before it had come to an end.' };
  return { name, phase: jobPhase(job), message: cut(saidOf(job), LONGEST_SAID) };
}

function saidOf(job: Job): string {
  const { status = {} } = job;
  const failed = failureOf(status);
  if (failed !== undefined) {
    if (isEnded(job)) return 'It was ended.';
    return [failed.reason, failed.message].filter((one) => one !== undefined && one !== '').join(': ');
  }
  const isHeld = job.spec?.suspend === true && jobPhase(job) !== 'Successful';
  return isHeld ? 'It is suspended, and runs once spec.suspend of the Job is false.' : '';
}

interface JobPurpose {
  readonly labels: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
}

// A device of a node is not given by whoever may write a Cell.
const RESOURCES: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);

/** Builds the spec of a Job that runs once, within a time, with no rights (Pod Security Standards: restricted). */
export function buildJob({ template, backoffLimit, timeout }: JobSpec, purpose: JobPurpose): BuiltSpec {
  const seconds = parseDuration(timeout);
  if (seconds < 1)
    return {
      ok: false,
      problem: `invalid timeout of a job: must be at least 1s, not ${timeout}. Raise it.`,
    };
  const { securityContext, imagePullSecrets, resources } = template.spec;
  const { requests = {}, limits = {} } = resources ?? {};
  const others = Object.keys({ ...requests, ...limits }).filter((one) => !RESOURCES.has(one));
  if (others.length > 0) {
    const problem = `invalid resources of a job: must be among ${[...RESOURCES].join(', ')}, not ${others.join(', ')}. Remove them.`;
    return { ok: false, problem };
  }
  return {
    ok: true,
    spec: {
      backoffLimit,
      completions: 1,
      parallelism: 1,
      activeDeadlineSeconds: seconds,
      // Nothing takes the place of a pod that may still run.
      podReplacementPolicy: 'Failed',
      template: {
        metadata: { labels: purpose.labels },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            ...securityContext,
            runAsNonRoot: true,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          ...(imagePullSecrets === undefined ? {} : { imagePullSecrets }),
          containers: [containerOf(template.spec, purpose.env)],
        },
      },
    },
  };
}

function containerOf(pod: JobSpec['template']['spec'], own: JobPurpose['env']): object {
  const { image, command, args, env = [], resources } = pod;
  return {
    name: 'job',
    image,
    // What a node has pulled for others is not run without the leave of its registry.
    imagePullPolicy: 'Always',
    ...given({ command, args, resources }),
    env: [...Object.entries(own).map(([name, value]) => ({ name, value })), ...env],
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
  };
}
