import { boolean, enum as choice, object, optional } from 'zod';
import { integer, nonEmpty } from './common.ts';
import { refuseField, requireWith, type Rule, withRules } from './rules.ts';

const durationSeconds = integer(1, 604_800).describe(
  'How long stickiness lasts, in seconds: 1 to 604800 (one week).',
);

const targetStickiness = withRules(
  object({
    type: choice(['lb_cookie', 'app_cookie']).describe(
      'The type of cookie: lb_cookie is set by the load balancer, app_cookie by your application. AWS ignores weights with app_cookie; use it only in a rule without a Cell that forwards to one target group.',
    ),
    durationSeconds,
    cookieName: optional(nonEmpty(256)).describe(
      'The name of the cookie of your application; only with app_cookie.',
    ),
  }),
  [
    {
      cel: "has(self.cookieName) == (self.type == 'app_cookie')",
      message:
        'targetStickiness.cookieName is required with the type app_cookie, and not allowed with lb_cookie. Add the name of your cookie, or remove it.',
    },
    {
      cel: "!has(self.cookieName) || !self.cookieName.startsWith('AWSALB')",
      message:
        'targetStickiness.cookieName must not begin with AWSALB, as AWSALB, AWSALBAPP and AWSALBTG do, which ELBv2 reserves. Choose another.',
    },
  ],
);

export const stickiness = {
  targetGroupStickiness: optional(object({ durationSeconds })).describe(
    'Keeps a client on the target group that first served it, regardless of later weights. Default: off.',
  ),
  targetStickiness: optional(targetStickiness).describe(
    'Keeps a client on one target within its target group; requires targetGroupStickiness. Okra sets it as attributes of every target group in the rule. Default: the attributes stay as they are.',
  ),
};

/** What holds of a Cell besides: its rule is a weighted one, whatever it forwards to at the time. */
export const noApplicationCookie: Rule = {
  cel: "!has(self.targetStickiness) || self.targetStickiness.type != 'app_cookie'",
  message:
    'forward.targetStickiness.type must be lb_cookie: app_cookie does not work with weighted target groups (AWS guide to sticky sessions). Use lb_cookie, or only targetGroupStickiness.',
};

/** What ELBv2 wants of stickiness settings together. */
export const stickinessRules: readonly Rule[] = [
  requireWith(
    'targetStickiness',
    ['targetGroupStickiness'],
    'forward.targetStickiness needs forward.targetGroupStickiness: ELBv2 refuses target stickiness in a rule without it. Add targetGroupStickiness, or remove targetStickiness.',
  ),
];

export const networkStickiness = {
  fields: {
    targetGroupStickiness: optional(
      object({
        enabled: boolean().describe(
          'Whether the flows of a client stay on the target group of the first flow.',
        ),
      }),
    ).describe(
      'Keeps the flows of a client on the target group of its first flow, regardless of later weights. Default: the current setting of the listener.',
    ),
    targetStickiness: optional(object({})).describe('Refused: a Network Load Balancer has no cookies.'),
  },
  rules: [
    refuseField(
      'targetStickiness',
      'targetStickiness is not supported with a Network Load Balancer, which has no cookies. Remove it; set stickiness.type source_ip in the target groups where needed.',
    ),
  ],
};
