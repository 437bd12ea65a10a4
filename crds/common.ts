import { z } from 'zod';
import { withRules } from './rules.ts';

const labelValue = z.string().max(63);

/** A label selector (metav1.LabelSelector): all of its terms must hold. */
export const labelSelector = z.object({
  matchLabels: z
    .record(z.string().max(317), labelValue)
    .optional()
    .describe('Labels that an object must have, each with exactly this value.'),
  matchExpressions: z
    .array(
      withRules(
        z.object({
          key: z.string().min(1).max(317).describe('The label that the expression is about.'),
          operator: z
            .enum(['In', 'NotIn', 'Exists', 'DoesNotExist'])
            .describe('How the label is compared: In, NotIn, Exists or DoesNotExist.'),
          values: z.array(labelValue).max(64).optional().describe('The values for In and NotIn.'),
        }),
        [
          {
            cel: "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : !has(self.values) || size(self.values) == 0",
            message:
              'Expected values with the operators In and NotIn, and none with Exists and DoesNotExist.',
            holds: ({ operator, values = [] }) =>
              operator === 'In' || operator === 'NotIn' ? values.length > 0 : values.length === 0,
          },
        ],
      ),
    )
    .max(16)
    .optional()
    .describe('Expressions over labels; all of them must hold.'),
});

/** A duration as Cells write it: whole seconds, or hours, minutes and seconds. */
export const DURATION_PATTERN = '^([0-9]+|([0-9]+h)?([0-9]+m)?([0-9]+s)?)$';

/** Says which durations are understood. */
export const DURATION_MESSAGE =
  'Expected a duration such as 30 (seconds), 5s, 10m or 1h30m. Correct the duration.';

const durationText = z.string().min(1).max(20);

/** A duration as text, such as `10m`; `"30"` is 30 seconds. */
export const duration = withRules(durationText, [
  {
    cel: `self.matches('${DURATION_PATTERN}')`,
    message: DURATION_MESSAGE,
    messageExpression: `'Expected a duration such as 30 (seconds), 5s, 10m or 1h30m, got ' + self + '. Correct the duration.'`,
    holds: (text) => new RegExp(DURATION_PATTERN).test(text),
  },
]);

/** A duration as a number of seconds or as text. */
export const durationOrSeconds = withRules(
  z
    .union([z.int().min(0).max(31_536_000), durationText])
    .meta({ 'x-kubernetes-int-or-string': true, maxLength: 20 }),
  [
    {
      cel: `type(self) == int ? self >= 0 && self <= 31536000 : self.size() > 0 && self.size() <= 20 && self.matches('${DURATION_PATTERN}')`,
      message: DURATION_MESSAGE,
      messageExpression: `'Expected a duration such as 30 (seconds), 5s, 10m or 1h30m, got ' + string(self) + '. Correct the duration.'`,
      holds: (value) => typeof value === 'number' || new RegExp(DURATION_PATTERN).test(value),
    },
  ],
);

/** A condition of a status (metav1.Condition). */
export const condition = z.object({
  type: z.string().max(316).describe('What the condition is about, such as Ready.'),
  status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds: True, False or Unknown.'),
  observedGeneration: z
    .int()
    .min(0)
    .optional()
    .describe('The metadata.generation that the condition is about.'),
  lastTransitionTime: z.iso.datetime().describe('When the status of the condition changed last.'),
  reason: z.string().min(1).max(1024).describe('Why, in one CamelCase word.'),
  message: z.string().max(32768).describe('Why, in a sentence.'),
});

/** The conditions of a status, one of each type. */
export const conditions = z
  .array(condition)
  .max(32)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
  .describe('What holds for the object now. `kubectl wait --for=condition=Ready` waits for one of them.');

const ELBV2_ARN = 'arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:[0-9]{12}';

/** The ARN of a target group. */
export const targetGroupARN = arn(
  `^${ELBV2_ARN}:targetgroup/[A-Za-z0-9-]{1,32}/[0-9a-z]{1,64}$`,
  'the ARN of an ELBv2 target group, arn:aws:elasticloadbalancing:REGION:ACCOUNT:targetgroup/NAME/ID',
);

/** The ARN of a listener of an Application Load Balancer. */
export const applicationListenerARN = arn(
  `^${ELBV2_ARN}:listener/app/[A-Za-z0-9-]{1,32}/[0-9a-z]{1,64}/[0-9a-z]{1,64}$`,
  'the ARN of a listener of an Application Load Balancer, arn:aws:elasticloadbalancing:REGION:ACCOUNT:listener/app/NAME/ID/ID',
);

function arn(pattern: string, what: string): z.ZodString {
  return withRules(z.string().min(1).max(512), [
    {
      cel: `self.matches('${pattern}')`,
      message: `Expected ${what}. Copy it from the AWS console or CLI.`,
      messageExpression: `'Expected ${what}, got ' + self + '. Copy it from the AWS console or CLI.'`,
      holds: (text) => new RegExp(pattern).test(text),
    },
  ]);
}
