import { boolean, object, optional, z } from 'zod';
import { addedMetadata, analysisSettings, experimentArguments, templateReference } from './analysis.ts';
import {
  durationOrSeconds,
  integer,
  labelSelector,
  listOf,
  nonEmpty,
  objectName,
  requireTerms,
} from './common.ts';
import { refuseField, requireUnique, type Rule, withRules } from './rules.ts';

const label = (what: string) => objectName(63, 'objects are').describe(what);

const unique = (field: string): Rule =>
  requireUnique('name', `Names of ${field} must be unique. Rename one of them.`);

const template = withRules(
  object({
    name: label('The name of the template in the Experiment.'),
    specRef: nonEmpty(253).describe(
      'The name of a ReplicaSet in the namespace of the Cell with the pod template. The ReplicaSet itself stays as it is, usually at 0 replicas.',
    ),
    replicas: integer(1, 1000).default(1).describe('How many pods to run. Default: 1.'),
    selector: optional(
      withRules(labelSelector, [
        requireTerms(
          'selector must have matchLabels or matchExpressions. Add a label, or remove the selector to use that of the ReplicaSet.',
        ),
      ]),
    ).describe('The selector of the pods. Default: that of the ReplicaSet.'),
    metadata: optional(addedMetadata).describe('Labels and annotations for the pods.'),
    weight: optional(z.int()).describe('Refused: the pods of an experiment get no traffic. Use setWeight.'),
  }),
  [
    refuseField(
      'weight',
      'weight is not supported in a template of an experiment, because its pods are in no target group of the load balancer and get no traffic from it. Remove it, and use setWeight to send traffic to the new version.',
    ),
  ],
);

const analysis = object({
  name: label('The name of the analysis in the Experiment.'),
  ...templateReference,
  args: experimentArguments,
  requiredForCompletion: optional(boolean()).describe(
    'Whether the experiment runs until this analysis ends; without a duration, it then ends too. Default: false.',
  ),
});

export const experimentStep = withRules(
  object({
    duration: optional(durationOrSeconds).describe(
      'How long the experiment runs once its pods are available, for example 30 (seconds), 5s, 10m or 1h30m. Default: until its required analyses end.',
    ),
    progressDeadlineSeconds: optional(integer(1, 31_536_000)).describe(
      'How long the pods may take to become available, in seconds. Default: 600.',
    ),
    scaleDownDelaySeconds: optional(integer(0, 31_536_000)).describe(
      'How long the pods stay after the experiment ends, in seconds. Default: 30.',
    ),
    templates: withRules(listOf(template, 5, 1), [unique('templates')]).describe('The pods to run.'),
    analyses: optional(withRules(listOf(analysis, 10), [unique('analyses')])).describe(
      'The analyses to run during the experiment. If one fails, the experiment ends.',
    ),
    ...analysisSettings,
  }),
  [
    {
      cel: 'has(self.duration) || (has(self.analyses) && self.analyses.exists(one, has(one.requiredForCompletion) && one.requiredForCompletion))',
      message:
        'An experiment must have a duration, or an analysis with requiredForCompletion: true; without either it would never end. Add one of them.',
    },
  ],
);
