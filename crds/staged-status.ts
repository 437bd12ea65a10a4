import { boolean, enum as choice, object, optional, string } from 'zod';
import { atomicList, integer, listOf, observedGeneration, statusWriter, timestamp } from './common.ts';

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

const stage = object({
  name: string().max(63).describe('The name of the stage.'),
  phase: choice(stagePhases).describe(
    'Pending: not begun. Binding: KubeStellar has not bound it yet. Waiting: not all objects fulfil it yet. Soaking: fulfilled, and must stay so. Fulfilled: waits for the next stage to begin; the last stage is done. TimedOut: not fulfilled in time. Passed: the next stage has begun. RolledBack: its BindingPolicy is deleted again.',
  ),
  since: timestamp.describe('When the stage entered this phase.'),
  startedAt: optional(timestamp).describe('When the stage began.'),
  completed: optional(boolean()).describe(
    'Whether the clusters of the stage may have been served before: it was passed, or was completed as the last one. If so, Okra does not roll it back by itself, even when it is late after an edit.',
  ),
  completedWith: optional(string().max(64)).describe(
    'A digest of the objects, their versions and the clusters that the last stage was completed with.',
  ),
  bindingPolicy: optional(string().max(253)).describe('The name of the BindingPolicy of the stage.'),
  objects: optional(integer(0)).describe('How many objects the stage looks at.'),
  fulfilled: optional(integer(0)).describe('How many of these objects fulfil the condition.'),
  firstUnfulfilled: optional(string().max(1024)).describe(
    'The first object that does not fulfil the condition: resource.group namespace/name.',
  ),
  reason: optional(string().max(4096)).describe('Why that object, or the stage, is not fulfilled.'),
  clusters: optional(
    object({
      of: integer(0).describe('How many clusters the stage selects.'),
      reached: integer(0).describe('How many of these clusters the rollout has reached.'),
      done: integer(0).describe('How many of the reached clusters fulfil the stage.'),
      failed: integer(0).describe('How many clusters have exceeded progressDeadline.'),
      failing: atomicList(string().max(253), 20).describe('The names of up to 20 of these clusters.'),
    }),
  ).describe('The progress of a progressive stage.'),
});

const request = object({
  action: string().max(64).describe('The request: pause, resume, promote, abort or retry.'),
  by: string().max(253).describe('Who asked.'),
  reason: string().max(1024).describe('The reason given; may be empty.'),
  time: timestamp.describe('When Okra received it.'),
});

const held = object({
  reason: choice(['Aborted', 'TimedOut', 'TooManyFailures']).describe('Why a person must decide.'),
  stage: string().max(63).describe('The stage that is held.'),
  by: optional(string().max(253)).describe('Who aborted it.'),
  to: optional(string().max(63)).describe('The stage to go back to, while that is in progress.'),
  message: string().max(4096).describe('What happened, in a sentence.'),
});

/** The fields of the status of a StagedBindingPolicy, but for its conditions. */
export const stagedStatusFields = {
  observedGeneration,
  activeStage: optional(string().max(63)).describe('The name of the current stage.'),
  phase: optional(choice(stagedPhases)).describe(
    'Waiting, Progressing, Paused, Completed, RollingBack, RolledBack or Failed.',
  ),
  reason: optional(string().max(64)).describe('The reason for the phase, in one CamelCase word.'),
  message: optional(string().max(4096)).describe('The reason for the phase, in a sentence.'),
  fulfilled: optional(string().max(32)).describe(
    'How many of the objects of the active stage fulfil it: 2/3.',
  ),
  stages: optional(listOf(stage, 32))
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
    .describe('The state of each stage.'),
  paused: optional(
    object({
      by: string().max(253).describe('Who asked.'),
      reason: string().max(1024).describe('The reason given; may be empty.'),
      time: timestamp.describe('When Okra received it.'),
    }),
  ).describe('The pause that holds it.'),
  held: optional(held).describe('Why the policy is held until a person sends promote or retry.'),
  requests: optional(atomicList(request, 20)).describe(
    'The last twenty requests of operators: who, what and why.',
  ),
  writer: statusWriter,
  lastSyncTime: optional(timestamp).describe('When Okra wrote this status.'),
};
