import { boolean, enum as choice, number, object, optional, string, type z } from 'zod';
import { analysisOfCheck } from './check-analysis.ts';
import { atomicList, conditions, integer, observedGeneration, phaseColumns, timestamp } from './common.ts';
import { defineResource, type Resource } from './resource.ts';

const spec = object({
  analysis: analysisOfCheck.describe('What to measure, and what passes.'),
  terminate: optional(boolean()).describe('Ends the Check before it has a verdict.'),
});

const amount = (what: string) => optional(number()).describe(what);
const counted = (what: string) => optional(integer(0)).describe(what);

const result = object({
  outcome: choice(['Passed', 'Failed', 'Inconclusive', 'Extended', 'Error']).describe(
    'Passed, Failed and Inconclusive count. Extended: Okra measures again. Error: the provider did not answer.',
  ),
  time: timestamp.describe('When Okra measured it.'),
  windowStart: optional(timestamp).describe('When the window begins.'),
  windowEnd: optional(timestamp).describe('When the window ends.'),
  query: optional(string().max(8192)).describe('The query as Okra sent it.'),
  value: amount('What the provider answered, reduced by the aggregator.'),
  baseline: amount('The same value for the side that it is compared with.'),
  samples: amount('How much traffic minSamples counted.'),
  group: optional(string().max(512)).describe('The group that decided the outcome.'),
  threshold: optional(string().max(1024)).describe('The bounds for the value.'),
  message: optional(string().max(1024)).describe('The result, in a sentence.'),
});

const analysisStatus = object({
  observedHash: optional(string().max(256)).describe(
    'The annotation analysis-hash at the last run, or what Okra computed when there is none.',
  ),
  digest: optional(string().max(64)).describe('The digest of the analysis that the counts belong to.'),
  startedAt: optional(timestamp).describe('When it started.'),
  extendedSince: optional(timestamp).describe('When Okra began to extend the sample.'),
  passed: counted('How many samples passed.'),
  failed: counted('How many samples failed.'),
  inconclusive: counted('How many samples were inconclusive.'),
  errors: counted('How many times the provider did not answer.'),
  consecutiveSuccess: counted('How many samples passed in a row.'),
  consecutiveErrors: counted('How many times in a row the provider did not answer.'),
  results: optional(atomicList(result, 10)).describe('The last results, the newest last.'),
});

const status = object({
  observedGeneration,
  phase: optional(
    choice(['Pending', 'Running', 'Successful', 'Failed', 'Error', 'Inconclusive', 'Terminated']),
  ).describe('Running until the Check has a verdict: Successful, Failed, Inconclusive, Error or Terminated.'),
  reason: optional(string().max(64)).describe('The reason for the phase, in one CamelCase word.'),
  message: optional(string().max(4096)).describe('The reason for the phase, in a sentence.'),
  lastPassed: optional(boolean()).describe('Whether the last sample passed.'),
  lastRunTime: optional(timestamp).describe('When Okra measured the last sample.'),
  analysis: optional(analysisStatus).describe('The samples so far.'),
  conditions: optional(conditions),
  lastSyncTime: optional(timestamp).describe('When Okra wrote this status.'),
});

export const check = defineResource({
  kind: 'Check',
  shortNames: ['okcheck'],
  description:
    'A Check measures a metric of Datadog, CloudWatch or Prometheus repeatedly, and judges it. The check step of a Cell creates Checks; you can also write one by hand.',
  watched: 'Optional',
  workflow: { does: 'Own', type: 'check', idPrefix: 'check' },
  verbs: ['get', 'create', 'patch', 'delete'],
  isReported: true,
  spec,
  status,
  printerColumns: phaseColumns(
    {
      name: 'Passed',
      type: 'boolean',
      jsonPath: '.status.lastPassed',
      description: 'Whether the last sample passed.',
    },
    { name: 'Value', type: 'number', jsonPath: '.status.analysis.results[-1:].value' },
    { name: 'Last', type: 'date', jsonPath: '.status.lastRunTime' },
  ),
});

type CheckSpec = z.output<typeof spec>;
export type CheckStatus = z.output<typeof status>;
export type Check = Resource<CheckSpec, CheckStatus>;
export type CheckAnalysis = CheckSpec['analysis'];
export type CheckResult = z.output<typeof result>;
