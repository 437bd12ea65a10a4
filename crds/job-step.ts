import { object, optional, record, string, union, z } from 'zod';
import { stepName } from './check-step.ts';
import { duration, integer, listOf, nonEmpty } from './common.ts';

const quantity = union([z.int(), nonEmpty(32)]).meta({
  'x-kubernetes-int-or-string': true,
  maxLength: 32,
  minLength: 1,
});

// Which there are domain/rollout/measure/job.ts says; it would be long here.
const amounts = record(string(), quantity);

const id = optional(integer(1, 2_147_483_647));

/**
 * What a pod of Okra's runs. It has no service account, volumes, labels, host namespaces or references to Secrets and
 * ConfigMaps, so that nobody gets by a Cell what they could not have read or done themselves.
 */
const pod = object({
  image: nonEmpty(512).describe('The image to run.'),
  command: optional(listOf(string().max(4096), 32)).describe(
    'The command to run. Default: the entrypoint of the image.',
  ),
  args: optional(listOf(string().max(4096), 64)).describe('The arguments of the command.'),
  env: optional(
    listOf(
      object({
        name: nonEmpty(253).describe('The name of the variable.'),
        value: string().max(4096).default('').describe('The value.'),
      }),
      64,
    ),
  )
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe(
      'Environment variables, besides OKRA_NAMESPACE, OKRA_CELL, OKRA_ROLLOUT and OKRA_VERSION, which Okra sets.',
    ),
  resources: optional(
    object({
      requests: optional(amounts).describe('How much cpu, memory and ephemeral-storage to reserve.'),
      limits: optional(amounts).describe('How much of these the pod may use.'),
    }),
  ).describe('The resources of the pod.'),
  imagePullSecrets: optional(listOf(object({ name: nonEmpty(253).describe('The name of the Secret.') }), 5))
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The Secrets to pull the image with.'),
  securityContext: optional(
    object({
      runAsUser: id.describe('The user id. Default: that of the image, which must not be root.'),
      runAsGroup: id.describe('The group id. Default: that of the image.'),
    }),
  ).describe('The user and group that the pod runs as.'),
});

const fields = {
  template: object({ spec: pod.describe('The pod, with one container.') }).describe(
    'The pod template of the Job.',
  ),
  backoffLimit: integer(0, 10)
    .default(0)
    .describe('How many times to retry the pod after a failure. Default: 0.'),
  timeout: duration
    .default('10m')
    .describe('How long the Job may take, including retries, for example 90s or 1h. Default: 10m.'),
};

/** A Job that has to succeed. */
export const jobSpec = object(fields);

/** The job of a step. */
export const jobStep = object({
  name: stepName('job', 'the Job is').describe(
    'Part of the name of the Job, with the name of the Cell. Default: job.',
  ),
  ...fields,
});

/** A Job that has to succeed, as a Cell says it. */
export type JobSpec = z.output<typeof jobSpec>;
/** The job of a step, as a Cell says it. */
export type JobStep = z.output<typeof jobStep>;
