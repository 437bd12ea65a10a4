import { z } from 'zod';
import { observedGeneration } from './common.ts';

/** Where a stage can stand. */
export const stagePhases = [
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
export const stagedPhases = [
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
      'Pending: not begun. Binding: KubeStellar has not bound it yet. Waiting: objects do not fulfil it yet. Soaking: fulfilled, and has to stay so. Fulfilled: waits for what begins the next stage; of the last stage, the end. TimedOut: not fulfilled in time. Passed: the next stage has begun. RolledBack: taken away again.',
    ),
  since: z.iso.datetime().describe('Since when it has been in this phase.'),
  startedAt: z.iso.datetime().optional().describe('When the stage began.'),
  completed: z
    .boolean()
    .optional()
    .describe(
      'Whether it was completed once as the last stage: then its workload is not taken back by itself, also when it is late after an edit.',
    ),
  bindingPolicy: z.string().max(253).optional().describe('The name of its BindingPolicy.'),
  objects: z.int().min(0).optional().describe('How many objects the stage looks at.'),
  fulfilled: z.int().min(0).optional().describe('How many of them fulfil its condition.'),
  firstUnfulfilled: z
    .string()
    .max(1024)
    .optional()
    .describe('The first object that does not: resource.group namespace/name.'),
  reason: z.string().max(4096).optional().describe('Why that object, or the stage, is not fulfilled.'),
  clusters: z
    .object({
      of: z.int().min(0).describe('How many clusters the stage selects.'),
      reached: z.int().min(0).describe('How many of them have been begun with.'),
      done: z.int().min(0).describe('How many of these fulfil the stage.'),
      failed: z.int().min(0).describe('How many are late by progressDeadline.'),
      failing: z
        .array(z.string().max(253))
        .max(20)
        .meta({ 'x-kubernetes-list-type': 'atomic' })
        .describe('The names of those, as many as 20.'),
    })
    .optional()
    .describe('How far a progressive stage is.'),
});

const request = z.object({
  action: z.string().max(64).describe('What was asked: pause, resume, promote, abort or retry.'),
  by: z.string().max(253).describe('Who asked.'),
  reason: z.string().max(1024).describe('Why; empty when nobody said.'),
  time: z.iso.datetime().describe('When it was received.'),
});

const held = z.object({
  reason: z.enum(['Aborted', 'TimedOut', 'TooManyFailures']).describe('Why a person has to let it go on.'),
  stage: z.string().max(63).describe('The stage that it is about.'),
  by: z.string().max(253).optional().describe('Who aborted it.'),
  to: z.string().max(63).optional().describe('The stage to go back to, while that is under way.'),
  message: z.string().max(4096).describe('What happened, in a sentence.'),
});

/** The fields of the status of a StagedBindingPolicy, but for its conditions. */
export const stagedStatusFields = {
  observedGeneration,
  activeStage: z.string().max(63).optional().describe('The name of the stage that it is at.'),
  phase: z
    .enum(stagedPhases)
    .optional()
    .describe('Waiting, Progressing, Paused, Completed, RollingBack, RolledBack or Failed.'),
  reason: z.string().max(64).optional().describe('Why it is in this phase, in one CamelCase word.'),
  message: z.string().max(4096).optional().describe('Why it is in this phase, in a sentence.'),
  fulfilled: z
    .string()
    .max(32)
    .optional()
    .describe('How many objects fulfil the active stage, of how many that it looks at: 2/3.'),
  stages: z
    .array(stage)
    .max(32)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] })
    .describe('Where each stage stands.'),
  paused: z
    .object({
      by: z.string().max(253).describe('Who asked.'),
      reason: z.string().max(1024).describe('Why; empty when nobody said.'),
      time: z.iso.datetime().describe('When it was received.'),
    })
    .optional()
    .describe('The pause that holds it.'),
  held: held.optional().describe('What a person has to let go on, by promote or retry.'),
  requests: z
    .array(request)
    .max(20)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('What operators have asked for: who, what and why; the last twenty.'),
  lastSyncTime: z.iso.datetime().optional().describe('When this status was written.'),
};
