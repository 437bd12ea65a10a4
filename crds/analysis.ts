import { boolean, object, optional, string } from 'zod';
import { cellStatus } from './cell-status.ts';
import { integer, listOf, mapOf, nonEmpty } from './common.ts';
import {
  keysOf,
  matching,
  refuseField,
  requireAnyOf,
  requireEither,
  requireUnique,
  type Rule,
  withRules,
} from './rules.ts';

const name = (what: string) => nonEmpty(253).describe(what);

const FIELD_PATH = `^(?:metadata[.](?:name|namespace|uid|generation|resourceVersion|creationTimestamp|labels|annotations)|spec[.][A-Za-z]+|status[.](?:${keysOf(cellStatus.shape).join('|')}))(?:[.[].+)?$`;

const fieldRef = optional(
  object({
    fieldPath: matching(
      nonEmpty(253),
      FIELD_PATH,
      'must be the path of a field of a Cell, such as status.desiredVersion, status.rollout.canary.targetGroups[0].fullName or status.rollout.loadBalancer.fullName. Correct it.',
    ).describe(
      "A path in the Cell that ends in a plain value, for example status.desiredVersion, status.rollout.canary.targetGroups[0].fullName, spec.replicas or metadata.labels['team'].",
    ),
  }),
).describe('The field of the Cell that has the value.');

const valueFromWith = (secretKeyRef: string, rules: readonly Rule[]) =>
  withRules(
    object({
      fieldRef,
      secretKeyRef: optional(
        object({ name: name('The name of the Secret.'), key: name('The key in the Secret.') }),
      ).describe(secretKeyRef),
      podTemplateHashValue: optional(string().max(64)).describe(
        'Refused: a Cell has no pod template hash. Use fieldRef.',
      ),
    }),
    [
      // A Cell has clusters and no pods; the field is known so that it is refused and not dropped in silence.
      refuseField(
        'podTemplateHashValue',
        'valueFrom.podTemplateHashValue is not supported, because a Cell has no pod template hash. Use fieldRef with fieldPath: status.desiredVersion to distinguish versions.',
      ),
      ...rules,
    ],
  );

const valueFrom = valueFromWith(
  'A key of a Secret in the namespace of the Cell. Okra passes the reference on; only Argo Rollouts reads the Secret.',
  [
    {
      cel: 'has(self.podTemplateHashValue) || has(self.fieldRef) != has(self.secretKeyRef)',
      message: 'valueFrom must have exactly one of fieldRef and secretKeyRef. Remove one, or add one.',
    },
  ],
);

const valueFromOfExperiment = valueFromWith(
  'Refused: Argo Rollouts drops it in an Experiment. Declare it in the AnalysisTemplate.',
  [
    refuseField(
      'secretKeyRef',
      'valueFrom.secretKeyRef is not supported in an analysis of an experiment, because Argo Rollouts drops it there. Declare the argument with its secretKeyRef in the AnalysisTemplate, and remove it here.',
    ),
    requireAnyOf(
      ['podTemplateHashValue', 'secretKeyRef', 'fieldRef'],
      'valueFrom must have fieldRef. Add it.',
    ),
  ],
);

function argumentsWith(from: typeof valueFrom) {
  const argument = withRules(
    object({
      name: name('The name of the argument, as the template declares it.'),
      value: optional(string().max(4096)).describe('The value itself.'),
      valueFrom: optional(from).describe('Where Okra reads the value when the analysis starts.'),
    }),
    [
      requireEither(
        'value',
        'valueFrom',
        'An analysis argument must have exactly one of value and valueFrom. Remove one, or add one.',
      ),
    ],
  );
  return optional(listOf(argument, 64)).describe('The arguments for the templates.');
}

export const experimentArguments = argumentsWith(valueFromOfExperiment);

const texts = (field: string, longest: number) => mapOf(field, string().max(longest), { most: 32 });

/** Labels and annotations that are added to what is made. */
export const addedMetadata = object({
  labels: optional(texts('labels', 63)).describe('The labels to add.'),
  annotations: optional(texts('annotations', 4096)).describe('The annotations to add.'),
});

const once = (field: string): Rule =>
  requireUnique('metricName', `Metric names in ${field} must be unique. Remove the duplicates.`);

const metricName = nonEmpty(128).describe('The name of the metric, or a regular expression.');

/** What an AnalysisRun is made with besides its templates and arguments. */
export const analysisSettings = {
  dryRun: optional(withRules(listOf(object({ metricName }), 16), [once('dryRun')])).describe(
    'Metrics that are measured without affecting the verdict.',
  ),
  measurementRetention: optional(
    withRules(
      listOf(
        object({
          metricName,
          limit: integer(1, 1000).describe('How many measurements the AnalysisRun keeps, by metric.'),
        }),
        16,
      ),
      [once('measurementRetention')],
    ),
  ).describe('How many measurements of a metric the AnalysisRun keeps. Default: 10.'),
  analysisRunMetadata: optional(addedMetadata).describe(
    'Labels and annotations for the AnalysisRun; they cannot replace those that Okra sets.',
  ),
};

export const templateReference = {
  templateName: name('The name of the AnalysisTemplate, in the namespace of the Cell.'),
  clusterScope: optional(boolean()).describe('Whether it is a ClusterAnalysisTemplate. Default: false.'),
};

export const analysisStep = object({
  templates: listOf(object(templateReference), 10, 1).describe(
    'The Argo Rollouts templates with the metrics of the AnalysisRun.',
  ),
  args: argumentsWith(valueFrom),
  ...analysisSettings,
});

export const backgroundAnalysis = analysisStep.extend({
  startingStep: integer(0, 99)
    .default(0)
    .describe('The index of the step at which it starts, from 0. Default: 0.'),
});
