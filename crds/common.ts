import { array, enum as choice, int, iso, object, optional, record, string, union, type z } from 'zod';
import type { PrinterColumn } from './resource.ts';
import { requirePattern, requireShownPattern, type Rule, withRules } from './rules.ts';

/** A text that is not empty, of at most so many characters. */
export const nonEmpty = (longest: number) => string().min(1).max(longest);

/** A whole number between two bounds, both included. */
export const integer = (least: number, most?: number) =>
  most === undefined ? int().min(least) : int().min(least).max(most);

/** A point in time, as RFC 3339 writes it. */
export const timestamp = iso.datetime();

/** A list of at most so many items. */
export function listOf<Item extends z.ZodType>(item: Item, most: number, least = 0) {
  const bounded = array(item).max(most);
  return least === 0 ? bounded : bounded.min(least);
}

/** A list that server-side apply replaces as a whole. */
export const atomicList = <Item extends z.ZodType>(item: Item, most: number, least = 0) =>
  listOf(item, most, least).meta({ 'x-kubernetes-list-type': 'atomic' });

/** A list of at least one item, which server-side apply merges by a field of them. */
export const mapList = <Item extends z.ZodType>(item: Item, key: string, most: number) =>
  listOf(item, most, 1).meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': [key] });

export const secretRef = object({ name: nonEmpty(253).describe('The name of the Secret.') });

/** A name that objects are named after; `what` says which of them are. */
export const objectName = (longest: number, what: string) =>
  withRules(nonEmpty(longest), [
    requirePattern(
      '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
      `name must have only lower-case letters, digits and dashes, because ${what} named after it. Correct it.`,
    ),
  ]);

const labelValue = string().max(63);

/** A map whose keys have bounds, of labels unless it says otherwise; of keys only CEL can say that. */
export function mapOf<Value extends z.ZodType>(
  field: string,
  value: Value,
  { shortest = 1, longest = 317, most = 64 } = {},
) {
  return withRules(record(string(), value).meta({ maxProperties: most }), [
    {
      cel: `size(self) <= ${most}`,
      message: `${field} must have at most ${most} keys. Remove some.`,
    },
    {
      cel: `self.all(k, size(k) >= ${shortest} && size(k) <= ${longest})`,
      message: `The keys of ${field} must have ${shortest} to ${longest} characters. Correct the key.`,
    },
  ]);
}

/** A term of a label selector (metav1.LabelSelectorRequirement). */
export const labelSelectorRequirement = object({
  key: nonEmpty(317).describe('The key of the label.'),
  operator: choice(['In', 'NotIn', 'Exists', 'DoesNotExist']).describe(
    'How to compare the label: In, NotIn, Exists or DoesNotExist.',
  ),
  values: optional(listOf(labelValue, 64)).describe('The values for In and NotIn.'),
});

/** A label selector (metav1.LabelSelector): all of its terms must hold. */
export const labelSelector = object({
  matchLabels: optional(mapOf('matchLabels', labelValue)).describe(
    'Labels that an object must have, with exactly these values.',
  ),
  matchExpressions: optional(
    listOf(
      withRules(labelSelectorRequirement, [
        {
          cel: "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : !has(self.values) || size(self.values) == 0",
          message:
            'values are required with the operators In and NotIn, and not allowed with Exists and DoesNotExist.',
        },
      ]),
      16,
    ),
  ).describe('Expressions over labels; all of them must match.'),
});

/** Requires that a label selector has a term: an empty one selects everything. */
export const requireTerms = (message: string): Rule => ({
  cel: '(has(self.matchLabels) && size(self.matchLabels) > 0) || (has(self.matchExpressions) && size(self.matchExpressions) > 0)',
  message,
});

/** The longest duration, a year: what is longer is a slip, and timers take it ill. */
export const LONGEST_SECONDS = 31_536_000;

// So few digits that no number in it overflows, neither here nor in CEL.
const DURATION_PATTERN = '^([0-9]{1,8}|([0-9]{1,4}h)?([0-9]{1,6}m)?([0-9]{1,8}s)?)$';

const EXPECTED = 'a duration such as 30 (seconds), 5s, 10m or 1h30m, of at most a year (8760h)';
/** `text` says in CEL how the duration is shown. */
const durationMessages = (text: string): Pick<Rule, 'message' | 'messageExpression'> => ({
  message: `must be ${EXPECTED}. Correct the duration.`,
  messageExpression: `'must be ${EXPECTED}, got ' + ${text} + '. Correct the duration.'`,
});

const CEL_IS_DURATION = `self.matches('${DURATION_PATTERN}') && (self.matches('^[0-9]+$') ? int(self) <= ${LONGEST_SECONDS} : duration(self) <= duration('8760h'))`;

const durationText = nonEmpty(20);

/** A duration as text, such as `10m`; `"30"` is 30 seconds. */
export const duration = withRules(durationText, [{ cel: CEL_IS_DURATION, ...durationMessages('self') }]);

/** A duration as a number of seconds or as text. */
export const durationOrSeconds = withRules(
  union([integer(0, LONGEST_SECONDS), durationText]).meta({
    'x-kubernetes-int-or-string': true,
    maxLength: 20,
  }),
  [
    {
      cel: `type(self) == int ? self >= 0 && self <= ${LONGEST_SECONDS} : self.size() > 0 && self.size() <= 20 && ${CEL_IS_DURATION}`,
      ...durationMessages('string(self)'),
    },
  ],
);

const condition = object({
  type: string().max(316).describe('The type of the condition, such as Ready.'),
  status: choice(['True', 'False', 'Unknown']).describe(
    'Whether the condition is met: True, False or Unknown.',
  ),
  observedGeneration: optional(integer(0)).describe('The metadata.generation that the condition is about.'),
  lastTransitionTime: timestamp.describe('When the status of the condition last changed.'),
  reason: nonEmpty(1024).describe('The reason, in one CamelCase word.'),
  message: string().max(32768).describe('The reason, in a sentence.'),
});

/** A condition of a status (metav1.Condition). */
export type Condition = z.output<typeof condition>;

/** The conditions of a status, one of each type. */
export const conditions = listOf(condition, 32)
  .meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] })
  .describe('The current state of the object. `kubectl wait --for=condition=Ready` waits for a condition.');

const ELBV2_ARN = 'arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:[0-9]{12}';

export const targetGroupARN = arn(
  `^${ELBV2_ARN}:targetgroup/[A-Za-z0-9-]{1,32}/[0-9a-z]{1,64}$`,
  'the ARN of an ELBv2 target group, arn:aws:elasticloadbalancing:REGION:ACCOUNT:targetgroup/NAME/ID',
);

const listener = (kind: string, what: string, example: 'app' | 'net' = 'app') =>
  arn(
    `^${ELBV2_ARN}:listener/${kind}/[A-Za-z0-9-]{1,32}/[0-9a-z]{1,64}/[0-9a-z]{1,64}$`,
    `the ARN of a listener of ${what}, arn:aws:elasticloadbalancing:REGION:ACCOUNT:listener/${example}/NAME/ID/ID`,
  );

export const applicationListenerARN = listener('app', 'an Application Load Balancer');

export const networkListenerARN = listener('net', 'a Network Load Balancer', 'net');

export const listenerARN = listener(
  '(app|net)',
  'an Application Load Balancer, or with the type AWSNetworkLoadBalancer of a Network Load Balancer',
);

/** What becomes of the rule when its object is deleted. */
export const deletionPolicy = choice(['Retain', 'Delete']);

function arn(pattern: string, what: string): z.ZodString {
  return withRules(nonEmpty(512), [
    requireShownPattern(pattern, `must be ${what}`, 'Copy it from the AWS console or CLI.'),
  ]);
}

/** What `kubectl get` shows of an object with a phase: that, columns of its own, its age and the reason. */
export const phaseColumns = (...own: readonly PrinterColumn[]): readonly PrinterColumn[] => [
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  ...own,
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  { name: 'Message', type: 'string', jsonPath: '.status.message', priority: 1 },
];

/** Who has asked for something, why and when. */
export const asked = (by: string, time: string) => ({
  by: string().max(253).describe(by),
  reason: string().max(1024).describe('The reason given; may be empty.'),
  time: timestamp.describe(time),
});

/** Which generation of an object its status is about (API conventions, status). */
export const observedGeneration = optional(integer(0)).describe(
  'The metadata.generation that this status is about.',
);

export const statusWriter = optional(
  object({
    runId: string().max(64).describe('The run id of the workflow.'),
    activity: integer(0).describe('The number of the activity in that run.'),
  }),
).describe(
  'Which activity wrote this status, so that an older status that arrives late does not overwrite it.',
);

/** Which AWSTargetGroups a Cell takes: what the block of each kind of load balancer has. */
export const targetGroupSelector = withRules(
  labelSelector.extend({
    versionLabels: optional(listOf(nonEmpty(317), 8, 1)).describe(
      'Labels of an AWSTargetGroup that may have its version; Okra uses the first that is not empty. Default: okra.mumo.co/version.',
    ),
  }),
  [
    requireTerms(
      'targetGroupSelector must have matchLabels or matchExpressions; an empty selector would select every AWSTargetGroup. Add a label.',
    ),
  ],
).describe('Which AWSTargetGroups of the namespace belong to the Cell.');
