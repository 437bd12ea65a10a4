import { optional, z } from 'zod';
import { observedGeneration, statusWriter } from './common.ts';

/** Where a stage can stand. */
const stagePhases = [
  'Pending',
  'Binding',
  'Waiting',
  'Soaking',
  'Fulfilled',
  'TimedOut',
  'Passed',
  'RolledBack',
] as const;

/** Where a StagedBindingPolicy can stand. */
const stagedPhases = [
  'Waiting',
  'Progressing',
  'Paused',
  'Completed',
  'RollingBack',
  'RolledBack',
  'Failed',
] as const;

const stage = z.object({
  name: z.string().max(63).describe('The name of the stage.'),
  phase: z
    .enum(stagePhases)
    .describe(
      'Pending: not begun. Binding: KubeStellar has not bound it yet. Waiting: not all objects fulfil it yet. Soaking: fulfilled, and must stay so. Fulfilled: waits for the next stage to begin; the last stage is done. TimedOut: not fulfilled in time. Passed: the next stage has begun. RolledBack: its BindingPolicy is deleted again.',
    ),
  since: z.iso.datetime().describe('When the stage entered this phase.'),
  startedAt: optional(z.iso.datetime()).describe('When the stage began.'),
  completed: optional(z.boolean()).describe(
    'Whether the clusters of the stage may have been served before: it was passed, or was completed as the last one. If so, Okra does not roll it back by itself, even when it is late after an edit.',
  ),
  completedWith: optional(z.string().max(64)).describe(
    'A digest of the objects, their versions and the clusters that the last stage was completed with.',
  ),
  bindingPolicy: optional(z.string().max(253)).describe('The name of the BindingPolicy of the stage.'),
  objects: optional(z.int().min(0)).describe('How many objects the stage looks at.'),
  fulfilled: optional(z.int().min(0)).describe('How many of these objects fulfil the condition.'),
  firstUnfulfilled: optional(z.string().max(1024)).describe(
    'The first object that does not fulfil the condition: resource.group namespace/name.',
  ),
  reason: optional(z.string().max(4096)).describe('Why that object, or the stage, is not fulfilled.'),
  clusters: optional(
    z.object({
      of: z.int().min(0).describe('How many clusters the stage selects.'),
      reached: z.int().min(0).describe('How many of these clusters the rollout has reached.'),
      done: z.int().min(0).describe('How many of the reached clusters fulfil the stage.'),
      failed: z.int().min(0).describe('How many clusters have exceeded progressDeadline.'),
      failing: z
        .array(z.string().max(253))
        .max(20)
        .meta({ 'x-kubernetes-list-type': 'atomic' })
        .describe('The names of up to 20 of these clusters.'),
    }),
  ).describe('The progress of a progressive stage.'),
});

const request = z.object({
  action: z.string().max(64).describe('The request: pause, resume, promote, abort or retry.'),
  by: z.string().max(253).describe('Who asked.'),
  reason: z.string().max(1024).describe('The reason given; may be empty.'),
  time: z.iso.datetime().describe('When Okra received it.'),
});

const held = z.object({
  reason: z.enum(['Aborted', 'TimedOut', 'TooManyFailures']).describe('Why a person must decide.'),
  stage: z.string().max(63).describe('The stage that is held.'),
  by: optional(z.string().max(253)).describe('Who aborted it.'),
  to: optional(z.string().max(63)).describe('The stage to go back to, while that is in progress.'),
  message: z.string().max(4096).describe('What happened, in a sentence.'),
});

/** The fields of the status of a StagedBindingPolicy, but for its conditions. */
export const stagedStatusFields = {
  observedGeneration,
  activeStage: optional(z.string().max(63)).describe('The name of the current stage.'),
  phase: optional(z.enum(stagedPhases)).describe(
    'Waiting, Progressing, Paused, Completed, RollingBack, RolledBack or Failed.',
  ),
  reason: optional(z.string().max(64)).describe('The reason for the phase, in one CamelCase word.'),
  message: optional(z.string().max(4096)).describe('The reason for the phase, in a sentence.'),
  fulfilled: optional(z.string().max(32)).describe(
    'How many of the objects of the active stage fulfil it: 2/3.',
  ),
  stages: optional(z.array(stage).max(32))
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
    .describe('The state of each stage.'),
  paused: optional(
    z.object({
      by: z.string().max(253).describe('Who asked.'),
      reason: z.string().max(1024).describe('The reason given; may be empty.'),
      time: z.iso.datetime().describe('When Okra received it.'),
    }),
  ).describe('The pause that holds it.'),
  held: optional(held).describe('Why the policy is held until a person sends promote or retry.'),
  requests: optional(z.array(request).max(20))
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The last twenty requests of operators: who, what and why.'),
  writer: statusWriter,
  lastSyncTime: optional(z.iso.datetime()).describe('When Okra wrote this status.'),
};
