import { z } from 'zod';
import { analysisOfCheck } from './check-analysis.ts';
import { conditions, observedGeneration } from './common.ts';
import { defineResource, type Resource } from './resource.ts';

const spec = z.object({
  analysis: analysisOfCheck.describe('What is measured, and what passes.'),
  terminate: z.boolean().optional().describe('Ends the Check before it has come to a verdict.'),
});

/** The phases of a Check. */
export const checkPhases = [
  'Pending',
  'Running',
  'Successful',
  'Failed',
  'Error',
  'Inconclusive',
  'Terminated',
] as const;

/** What a sample came to. */
export const sampleOutcomes = ['Passed', 'Failed', 'Inconclusive', 'Extended', 'Error'] as const;

const number = (what: string) => z.number().optional().describe(what);
const counted = (what: string) => z.int().min(0).optional().describe(what);

const result = z.object({
  outcome: z
    .enum(sampleOutcomes)
    .describe('Passed, Failed or Inconclusive count; Extended is measured again, Error was not answered.'),
  time: z.iso.datetime().describe('When it was measured.'),
  windowStart: z.iso.datetime().optional().describe('When the window begins.'),
  windowEnd: z.iso.datetime().optional().describe('When the window ends.'),
  query: z.string().max(8192).optional().describe('The query as it was sent.'),
  value: number('What the provider answered, reduced by the aggregator.'),
  baseline: number('The same of the side that is compared with.'),
  samples: number('How much there was, by minSamples.'),
  group: z.string().max(512).optional().describe('The group that decided.'),
  threshold: z.string().max(1024).optional().describe('What the value was held against.'),
  message: z.string().max(1024).optional().describe('What came of it, in a sentence.'),
});

const analysisStatus = z.object({
  observedHash: z
    .string()
    .max(256)
    .optional()
    .describe(
      'The annotation analysis-hash as it was at the last run, or what Okra has computed where there is none.',
    ),
  digest: z.string().max(64).optional().describe('The digest of the analysis that the counts are about.'),
  startedAt: z.iso.datetime().optional().describe('When it was started.'),
  extendedSince: z.iso.datetime().optional().describe('Since when samples are extended.'),
  passed: counted('How many samples have passed.'),
  failed: counted('How many samples have failed.'),
  inconclusive: counted('How many samples were inconclusive.'),
  errors: counted('How many times the provider has not answered.'),
  consecutiveSuccess: counted('How many samples have passed in a row.'),
  consecutiveErrors: counted('How many times in a row the provider has not answered.'),
  results: z
    .array(result)
    .max(10)
    .optional()
    .meta({ 'x-kubernetes-list-type': 'atomic' })
    .describe('The last results, the newest last.'),
});

const status = z.object({
  observedGeneration,
  phase: z
    .enum(checkPhases)
    .optional()
    .describe('Running until there is a verdict: Successful, Failed, Inconclusive, Error or Terminated.'),
  reason: z.string().max(64).optional().describe('Why it is in this phase, in one CamelCase word.'),
  message: z.string().max(4096).optional().describe('Why it is in this phase, in a sentence.'),
  lastPassed: z.boolean().optional().describe('Whether the last sample has passed.'),
  lastRunTime: z.iso.datetime().optional().describe('When the last sample was measured.'),
  analysis: analysisStatus.optional().describe('The samples so far.'),
  conditions: conditions.optional(),
  lastSyncTime: z.iso.datetime().optional().describe('When this status was written.'),
});

/** A metric that Okra measures and judges itself. */
export const check = defineResource({
  kind: 'Check',
  plural: 'checks',
  singular: 'check',
  shortNames: ['okcheck'],
  description:
    'A Check measures a metric of Datadog, CloudWatch or Prometheus again and again, and judges it. The step check of a Cell makes Checks; one can also be written by hand.',
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
      description: 'Whether the last sample has passed.',
    },
    { name: 'Value', type: 'number', jsonPath: '.status.analysis.results[-1:].value' },
    { name: 'Last', type: 'date', jsonPath: '.status.lastRunTime' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
  ],
});

/** What a Check asks for. */
export type CheckSpec = z.output<typeof spec>;
/** What is reported of a Check. */
export type CheckStatus = z.output<typeof status>;
/** A Check as the API server has it. */
export type Check = Resource<CheckSpec, CheckStatus>;
/** What a Check measures, and what passes. */
export type CheckAnalysis = CheckSpec['analysis'];
/** What a sample came to, as a status shows it. */
export type CheckResult = z.output<typeof result>;
