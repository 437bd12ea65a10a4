import { describe, expect, it } from 'vitest';
import { aJob } from '../../testing/jobs.ts';
import { buildJob, ENDED, jobVerdict, type Job } from './job.ts';

const holds = (type: string, reason: string, message: string) => ({ type, status: 'True', reason, message });
const failed = holds('Failed', 'BackoffLimitExceeded', 'Job has reached the specified backoff limit');
const late = holds('Failed', 'DeadlineExceeded', 'Job was active longer than specified deadline');
const said = (type: string): Job => ({ status: { conditions: [{ type, status: 'True' }] } });

describe('the verdict on a Job', () => {
  it.each<[string, Job | undefined, string, string]>([
    ['that nobody has taken up', {}, 'Pending', ''],
    ['that runs', { status: { active: 1 } }, 'Running', ''],
    ['that is complete', said('Complete'), 'Successful', ''],
    [
      'that was complete before its end was asked for',
      { ...said('Complete'), spec: ENDED },
      'Successful',
      '',
    ],
    [
      'of which the pod has ended',
      { status: { active: 1, ...said('SuccessCriteriaMet').status } },
      'Running',
      '',
    ],
    [
      'that has failed',
      { status: { conditions: [failed] } },
      'Failed',
      'BackoffLimitExceeded: Job has reached the specified backoff limit',
    ],
    [
      'that took too long',
      { spec: { activeDeadlineSeconds: 600 }, status: { conditions: [late] } },
      'Failed',
      'DeadlineExceeded: Job was active longer than specified deadline',
    ],
    ['of which a pod is left, and that has failed', said('FailureTarget'), 'Failed', ''],
    ['that was ended', { spec: ENDED, status: { conditions: [late] } }, 'Failed', 'It was ended.'],
    [
      'that someone holds',
      { spec: { suspend: true }, status: { conditions: [{ type: 'Suspended', status: 'True' }] } },
      'Pending',
      'It is suspended, and runs once spec.suspend of the Job is false.',
    ],
    [
      'whose condition does not hold',
      { status: { conditions: [{ ...failed, status: 'False' }] } },
      'Pending',
      '',
    ],
    ['that is gone', undefined, 'Error', 'The Job was deleted before it had come to an end.'],
  ])('%s', (_, job, phase, message) =>
    expect(jobVerdict('smoke', job)).toEqual({ name: 'smoke', phase, message }),
  );
});

const purpose = { labels: { team: 'shop' }, env: { OKRA_VERSION: '2.0.0' } };
const specOf = (written: object) => {
  const built = buildJob(aJob(written), purpose);
  if (!built.ok) throw new Error(built.problem);
  return built.spec;
};

describe('the Job of a step', () => {
  it('runs once, within its time, and with no more rights than it needs', () =>
    expect(specOf({})).toEqual({
      backoffLimit: 0,
      completions: 1,
      parallelism: 1,
      activeDeadlineSeconds: 600,
      podReplacementPolicy: 'Failed',
      template: {
        metadata: { labels: { team: 'shop' } },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
          containers: [
            {
              name: 'job',
              image: 'busybox',
              imagePullPolicy: 'Always',
              env: [{ name: 'OKRA_VERSION', value: '2.0.0' }],
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
            },
          ],
        },
      },
    }));

  it('has what its Cell says, and nothing that the schema does not know', () => {
    const pod = {
      image: 'registry.example/smoke:1',
      command: ['/smoke'],
      args: ['--all'],
      env: [{ name: 'LEVEL', value: 'full' }],
      resources: { requests: { cpu: 1 }, limits: { memory: '64Mi' } },
      imagePullSecrets: [{ name: 'registry' }],
      securityContext: { runAsUser: 1000, privileged: true, runAsNonRoot: false },
    };
    const others = { serviceAccountName: 'admin', hostNetwork: true, volumes: [{ name: 'a' }] };
    const envFrom = { envFrom: [{ secretRef: { name: 'all' } }] };
    const template = { metadata: { labels: { app: 'web' } }, spec: { ...pod, ...others, ...envFrom } };
    const spec = specOf({ template, backoffLimit: 2, timeout: '90s' });
    expect(spec).toMatchObject({ backoffLimit: 2, activeDeadlineSeconds: 90 });
    expect(spec['template']).toEqual({
      metadata: { labels: { team: 'shop' } },
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        imagePullSecrets: pod.imagePullSecrets,
        securityContext: {
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
          runAsUser: 1000,
        },
        containers: [
          {
            name: 'job',
            image: pod.image,
            imagePullPolicy: 'Always',
            command: pod.command,
            args: pod.args,
            resources: pod.resources,
            env: [{ name: 'OKRA_VERSION', value: '2.0.0' }, ...pod.env],
            securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
          },
        ],
      },
    });
  });

  it.each([
    ['no time at all', { timeout: '0s' }, 'invalid timeout of a job: must be at least 1s, not 0s.'],
    [
      'a device',
      { template: { spec: { image: 'a', resources: { limits: { 'nvidia.com/gpu': 1 } } } } },
      'cpu, memory, ephemeral-storage, not nvidia.com/gpu.',
    ],
  ])('is not made with %s', (_, written, problem) =>
    expect(buildJob(aJob(written), purpose)).toEqual({
      ok: false,
      problem: expect.stringContaining(problem) as string,
    }),
  );
});
