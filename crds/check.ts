import { optional, z } from 'zod';
import { analysisOfCheck } from './check-analysis.ts';
import { conditions, observedGeneration } from './common.ts';
import { defineResource, type Resource } from './resource.ts';

const spec = z.object({
  analysis: analysisOfCheck.describe('What to measure, and what passes.'),
  terminate: optional(z.boolean()).describe('Ends the Check before it has a verdict.'),
});

/** The phases of a Check. */
const checkPhases = [
  'Pending',
  'Running',
  'Successful',
  'Failed',
  'Error',
  'Inconclusive',
  'Terminated',
] as const;

/** What a sample came to. */
const sampleOutcomes = ['Passed', 'Failed', 'Inconclusive', 'Extended', 'Error'] as const;

const number = (what: string) => optional(z.number()).describe(what);
const counted = (what: string) => optional(z.int().min(0)).describe(what);

const result = z.object({
  outcome: z
    .enum(sampleOutcomes)
    .describe(
      'Passed, Failed and Inconclusive count. Extended: Okra measures again. Error: the provider did not answer.',
    ),
  time: z.iso.datetime().describe('When Okra measured it.'),
  windowStart: optional(z.iso.datetime()).describe('When the window begins.'),
  windowEnd: optional(z.iso.datetime()).describe('When the window ends.'),
  query: optional(z.string().max(8192)).describe('The query as Okra sent it.'),
  value: number('What the provider answered, reduced by the aggregator.'),
  baseline: number('The same value for the side that it is compared with.'),
  samples: number('How much traffic minSamples counted.'),
  group: optional(z.string().max(512)).describe('The group that decided the outcome.'),
  threshold: optional(z.string().max(1024)).describe('The bounds for the value.'),
  message: optional(z.string().max(1024)).describe('The result, in a sentence.'),
});

const analysisStatus = z.object({
  observedHash: optional(z.string().max(256)).describe(
    'The annotation analysis-hash at the last run, or what Okra computed when there is none.',
  ),
  digest: optional(z.string().max(64)).describe('The digest of the analysis that the counts belong to.'),
  startedAt: optional(z.iso.datetime()).describe('When it started.'),
  extendedSince: optional(z.iso.datetime()).describe('When Okra began to extend the sample.'),
  passed: counted('How many samples passed.'),
  failed: counted('How many samples failed.'),
  inconclusive: counted('How many samples were inconclusive.'),
  errors: counted('How many times the provider did not answer.'),
  consecutiveSuccess: counted('How many samples passed in a row.'),
  consecutiveErrors: counted('How many times in a row the provider did not answer.'),
  results: optional(z.array(result).max(10))
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The last results, the newest last.'),
});

const status = z.object({
  observedGeneration,
  phase: optional(z.enum(checkPhases)).describe(
    'Running until the Check has a verdict: Successful, Failed, Inconclusive, Error or Terminated.',
  ),
  reason: optional(z.string().max(64)).describe('The reason for the phase, in one CamelCase word.'),
  message: optional(z.string().max(4096)).describe('The reason for the phase, in a sentence.'),
  lastPassed: optional(z.boolean()).describe('Whether the last sample passed.'),
  lastRunTime: optional(z.iso.datetime()).describe('When Okra measured the last sample.'),
  analysis: optional(analysisStatus).describe('The samples so far.'),
  conditions: optional(conditions),
  lastSyncTime: optional(z.iso.datetime()).describe('When Okra wrote this status.'),
});

/** A metric that Okra measures and judges itself. */
export const check = defineResource({
  kind: 'Check',
  plural: 'checks',
  singular: 'check',
  shortNames: ['okcheck'],
  description:
    'A Check measures a metric of Datadog, CloudWatch or Prometheus repeatedly, and judges it. The check step of a Cell creates Checks; you can also write one by hand.',
  watched: 'Optional',
  workflow: { does: 'Own', type: 'check', idPrefix: 'check' },
  verbs: ['get', 'create', 'patch', 'delete'],
  isReported: true,
  spec,
  status,
  printerColumns: [
    { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
    {
      name: 'Passed',
      type: 'boolean',
      jsonPath: '.status.lastPassed',
      description: 'Whether the last sample passed.',
    },
    { name: 'Value', type: 'number', jsonPath: '.status.analysis.results[-1:].value' },
    { name: 'Last', type: 'date', jsonPath: '.status.lastRunTime' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
  ],
});

/** What a Check asks for. */
type CheckSpec = z.output<typeof spec>;
/** What is reported of a Check. */
export type CheckStatus = z.output<typeof status>;
/** A Check as the API server has it. */
export type Check = Resource<CheckSpec, CheckStatus>;
/** What a Check measures, and what passes. */
export type CheckAnalysis = CheckSpec['analysis'];
/** What a sample came to, as a status shows it. */
export type CheckResult = z.output<typeof result>;
