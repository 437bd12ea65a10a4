import { object, optional } from 'zod';
import { applicationListenerARN, integer, nonEmpty, targetGroupARN } from './common.ts';
import { forwardConfigMatch, forwardConfigRules } from './listener-rule.ts';
import { withRules, type Rule } from './rules.ts';

const EQUALITY = '[A-Za-z0-9]([A-Za-z0-9._/-]*[A-Za-z0-9])?=([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?';
const EQUALITIES = `^${EQUALITY}(,${EQUALITY})*$`;

/** A selector in one line: `svc=web`, several separated by commas. */
export const equalities: Rule<string> = {
  cel: `self.matches('${EQUALITIES}')`,
  message: 'must be a selector such as svc=web; separate several with commas. Correct it.',
  holds: (text) => new RegExp(EQUALITIES).test(text),
};

const targetGroup = withRules(
  object({
    arn: optional(targetGroupARN).describe('The ARN of the target group, for an application on one cluster.'),
    targetgroupBindingSelector: optional(withRules(nonEmpty(512), [equalities])).describe(
      'Selects, by labels such as svc=web, the TargetGroupBinding of the AWS Load Balancer Controller in each cluster.',
    ),
    arnFromLabel: optional(nonEmpty(317)).describe(
      'The label of the clusters in spec.clusters that has the ARN as its value.',
    ),
  }),
  [
    {
      cel: '[has(self.arn), has(self.targetgroupBindingSelector), has(self.arnFromLabel)].filter(x, x).size() == 1',
      message:
        'alb.forwardConfig.targetGroup must have exactly one of arn, targetgroupBindingSelector and arnFromLabel. Keep one.',
      holds: (one) =>
        [one.arn, one.targetgroupBindingSelector, one.arnFromLabel].filter((source) => source !== undefined)
          .length === 1,
    },
  ],
);

const weight = (what: string) => integer(1, 1000).default(100).describe(`${what} Default: 100.`);

/** The listener rule of an application, and how its weights move. */
export const applicationLoadBalancerOfApplication = object({
  listenerARN: applicationListenerARN.describe('The ARN of the listener of the Application Load Balancer.'),
  forwardConfig: withRules(
    object({
      ...forwardConfigMatch,
      targetGroup: targetGroup.describe('How Okra finds the target group of each cluster.'),
    }),
    forwardConfigRules,
  ).describe(
    'The listener rule. Without conditions the rule must already exist and keeps its own conditions, and the Cell needs the annotation okra.mumo.co/adopt: "true".',
  ),
  updateStrategy: optional(
    withRules(
      object({
        stepWeight: weight('How much weight moves in each step.'),
        totalWeight: weight('The weight that represents all traffic.'),
      }),
      [
        {
          cel: 'self.stepWeight <= self.totalWeight',
          message: 'stepWeight must be at most totalWeight. Lower it.',
          holds: ({ stepWeight, totalWeight }) => stepWeight <= totalWeight,
        },
      ],
    ),
  ).describe('How the weight moves: 10 of 100 is a canary, 100 of 100 is blue-green. Default: all at once.'),
});
