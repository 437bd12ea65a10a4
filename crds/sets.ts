import { enum as choice, object, optional, string, type z } from 'zod';
import {
  atomicList,
  conditions,
  mapOf,
  nonEmpty,
  observedGeneration,
  phaseColumns,
  timestamp,
} from './common.ts';
import type { PrinterColumn } from './resource.ts';
import { requirePattern, requireShownPattern, templatePattern, withRules } from './rules.ts';

const VARIABLES = '{{.awseks.cluster.name}} and {{.awseks.cluster.tags.KEY}}';

const TEMPLATE_PATTERN = templatePattern('awseks[.]cluster', ['name'], ['tags']);

const templateOf = (text: z.ZodString): z.ZodString =>
  withRules(text.max(1024), [
    requirePattern(TEMPLATE_PATTERN, `must have no other variables than ${VARIABLES}. Correct the variable.`),
  ]);

const templateText = templateOf(string());
/** The same, where it may not be empty. */
export const templateName = templateOf(string().min(1));

/** Labels whose values may be templates over an EKS cluster. */
export const templateLabels = mapOf('labels', templateText);

const templateAnnotations = mapOf('annotations', templateText);

export const templateMetadata = (labels: typeof templateLabels) =>
  object({
    labels: optional(labels).describe(
      `Labels of each generated object. The values can use the variables ${VARIABLES}.`,
    ),
    annotations: optional(templateAnnotations).describe(
      `Annotations of each generated object. The values can use the same variables.`,
    ),
  });

/** What is wrong with one cluster or one generated object; the others continue. */
export const problem = object({
  cluster: optional(string().max(253)).describe('The cluster with the problem.'),
  object: optional(string().max(512)).describe('The object with the problem.'),
  reason: nonEmpty(64).describe('The problem, in one CamelCase word.'),
  message: string().max(1024).describe('What is wrong, and what to do.'),
});

/** What every object says that is synced again and again. */
export const syncStatus = {
  observedGeneration,
  phase: optional(choice(['Synced', 'Degraded'])).describe(
    'Synced when everything matches the spec, Degraded when there are problems.',
  ),
  reason: optional(string().max(64)).describe('The reason for the phase, in one CamelCase word.'),
  message: optional(string().max(4096)).describe('The reason for the phase, in a sentence.'),
  conditions: optional(conditions),
  problems: optional(atomicList(problem, 100)).describe(
    'What is wrong, and with which cluster or object. A problem holds up nothing else.',
  ),
  lastSyncTime: optional(timestamp).describe('When Okra wrote this status.'),
};

/** What was there and is missed. */
export const missing = optional(
  atomicList(
    object({
      name: string().max(253).describe('The name of the missing secret.'),
      since: timestamp.describe('When Okra first missed it.'),
    }),
    1000,
  ),
);

/** What `kubectl get` shows of every object that is synced again and again, with columns of its own after the phase. */
export const syncColumns = (...own: readonly PrinterColumn[]): readonly PrinterColumn[] =>
  phaseColumns(...own, { name: 'Synced', type: 'date', jsonPath: '.status.lastSyncTime' });

export const clusterNames = object({
  names: optional(atomicList(string().max(253), 1000)).describe('The names of the clusters.'),
});

export const withPattern = (schema: z.ZodString, pattern: string, expected: string): z.ZodString =>
  withRules(schema, [requireShownPattern(pattern, `must be ${expected}`, 'Correct it.')]);

export const region = withPattern(
  nonEmpty(32),
  '^[a-z]{2,8}(-[a-z]{1,16}){1,4}-[0-9]{1,2}$',
  'a region such as eu-central-1',
);

export const roleARN = withPattern(
  nonEmpty(600),
  '^arn:aws[a-z-]*:iam::[0-9]{12}:role/[A-Za-z0-9+=,.@_/-]{1,512}$',
  'the ARN of an IAM role, arn:aws:iam::ACCOUNT:role/NAME',
);

/** The id that a role of another account asks for (API_AssumeRole, ExternalId). */
export const externalID = withPattern(
  string().min(2).max(1224),
  '^[A-Za-z0-9_+=,.@:/-]+$',
  'an external id of letters, digits and _+=,.@:/-',
);
