import { enum as choice, object, optional, string } from 'zod';
import { atomicList, integer, timestamp } from './common.ts';

// As long as a label may be, and the numbers that are left out: v2 is 2.0.0.
/** A version in a status. */
export const version = string().max(67);

const side = (what: string) =>
  object({
    version: version.describe('Its version.'),
    targetGroups: atomicList(
      object({
        name: string().max(253).describe('The name of the AWSTargetGroup.'),
        arn: string().max(512).describe('The ARN of the target group.'),
        fullName: string().max(512).describe('The target group as CloudWatch calls it.'),
      }),
      5,
    ).describe('Its target groups.'),
  }).describe(what);

/** Who has paused something. */
export const paused = object({
  by: string().max(253).describe('Who paused it.'),
  reason: string().max(1024).describe('The reason given; may be empty.'),
  time: timestamp.describe('When this began.'),
});

/** What is reported of a rollout under way. */
export const rolloutStatus = object({
  id: string()
    .max(64)
    .describe(
      'The id of the rollout, which is part of the names of its AnalysisRuns, Experiments, Checks and Jobs.',
    ),
  startedAt: timestamp.describe('When the rollout began.'),
  stepStartedAt: timestamp.describe('When the current step began, or the bake after the last step.'),
  stepEndsAt: optional(timestamp).describe(
    'When the current pause or bake ends, unless something else holds the rollout then.',
  ),
  edition: optional(integer(0)).describe(
    'How often its steps were edited or a measurement was repeated, which is part of the names as well.',
  ),
  stable: side('The side that served before the rollout.'),
  canary: side('The side that is rolled out.'),
  loadBalancer: optional(
    object({ fullName: string().max(512).describe('The load balancer as CloudWatch calls it.') }),
  ).describe('The load balancer of the listener.'),
  workflowId: string().max(1000).describe('The id of the Temporal workflow of the rollout.'),
  runId: string().max(64).describe('The run id of that workflow.'),
  ending: optional(
    object({
      kind: choice(['Failed', 'Withdrawn']).describe(
        'Failed: the version is blocked. Withdrawn: the version is not blocked.',
      ),
      reason: string().max(1024).describe('The reason, in one CamelCase word.'),
      message: string().max(32768).describe('The reason, in a sentence.'),
      time: timestamp.describe('When this began.'),
    }),
  ).describe('Why Okra is taking the rollout back.'),
  paused: optional(paused).describe('Who paused the rollout.'),
});
