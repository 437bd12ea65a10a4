import { object, optional, string, type z } from 'zod';
import { atomicList, integer, listOf, mapOf, nonEmpty, targetGroupARN } from './common.ts';
import { type Rule, withRules } from './rules.ts';
import { noApplicationCookie, stickiness, stickinessRules } from './stickiness.ts';

const part = object({
  type: string().max(64).describe('The ELBv2 type, such as authenticate-oidc or url-rewrite.'),
  config: string()
    .max(32_768)
    .describe('Its ELBv2 configuration as JSON, without client secrets, which AWS never shows.'),
});

const parts = (what: string) => optional(atomicList(part, 10)).describe(what);

/** What a listener rule does besides matching and forwarding. */
export const carried = object({
  actions: parts('Actions before a request is forwarded, in order: authentication, validation of tokens.'),
  transforms: parts('How the load balancer rewrites a request before it forwards it.'),
});

export type CarriedPart = z.output<typeof part>;
/** What a listener rule does besides matching and forwarding. */
export type Carried = z.output<typeof carried>;

const forwardTargetGroup = object({
  name: nonEmpty(253).describe('The name of the AWSTargetGroup, for readability; ELBv2 does not use it.'),
  arn: targetGroupARN.describe('The ARN of the target group.'),
  weight: integer(0, 999).describe(
    'The share of the traffic, relative to the other target groups: 0 to 999.',
  ),
});

export const forwardTargetGroups = withRules(atomicList(forwardTargetGroup, 5, 1), [
  {
    cel: 'self.all(x, self.exists_one(y, y.arn == x.arn))',
    message: 'Target groups in forward.targetGroups must be unique. Remove the repeated ARN.',
  },
  {
    cel: 'self.exists(x, x.weight > 0)',
    message:
      'forward.targetGroups must have at least one target group with a weight above 0; otherwise the rule serves nothing.',
  },
]).describe('The target groups to forward to: 1 to 5, the limit of ELBv2.');

const values = (what: string, longest: number) => optional(listOf(nonEmpty(longest), 5)).describe(what);

const headerValues = (field: string) =>
  optional(mapOf(field, listOf(nonEmpty(128), 5, 1), { longest: 40, most: 5 }));

const queryStringCondition = object({
  values: atomicList(
    object({
      key: optional(string().max(128)).describe(
        'The name of the parameter. Default: any, including a query without names.',
      ),
      value: nonEmpty(128).describe('Its value. Wildcards * and ? are allowed.'),
    }),
    5,
    1,
  ).describe('Query parameters; a request must have at least one of them.'),
});

/** What a rule matches; `where` says in messages which rule. */
const matchOf = (where: string) => ({
  priority: integer(1, 50_000).describe(
    'The priority of the listener rule, from 1 to 50000. The listener and the priority identify the rule. Okra never changes the default rule of the listener.',
  ),
  hosts: values('Host names to match (host-header). Wildcards * and ? are allowed.', 128),
  pathPatterns: values('Paths to match (path-pattern), for example /api/*.', 128),
  methods: values('HTTP methods to match (http-request-method); case does not matter.', 40),
  sourceIPs: values('CIDR blocks to match (source-ip), for example 10.0.0.0/8.', 49),
  hostRegexes: values(
    'Regular expressions for the host name (host-header), instead of hosts. One of them must match.',
    128,
  ),
  pathRegexes: values(
    'Regular expressions for the path (path-pattern), instead of pathPatterns. One of them must match.',
    128,
  ),
  headers: headerValues(`${where}.headers`).describe(
    'HTTP headers that a request must have (http-header), each with one of its values.',
  ),
  headerRegexes: headerValues(`${where}.headerRegexes`).describe(
    'HTTP headers that a request must have (http-header), each with a value that matches one of its regular expressions.',
  ),
  queryStrings: optional(
    mapOf(`${where}.queryStrings`, nonEmpty(128), { shortest: 0, longest: 128, most: 5 }),
  ).describe('Query parameters as key: value (query-string); a request must have at least one of them.'),
  queryStringConditions: optional(atomicList(queryStringCondition, 5)).describe(
    'Conditions on the query string (query-string); all of them must match. queryStrings counts as one more.',
  ),
});

const match = matchOf('listener.rule');
const matchSchema = object(match);

const lists = ['hosts', 'hostRegexes', 'pathPatterns', 'pathRegexes', 'methods', 'sourceIPs'] as const;
const maps = ['headers', 'headerRegexes'] as const;

const CEL_COUNT = [
  ...lists.map((list) => `(has(self.${list}) ? size(self.${list}) : 0)`),
  ...maps.map((map) => `(has(self.${map}) ? self.${map}.map(k, size(self.${map}[k])).sum() : 0)`),
  '(has(self.queryStrings) ? size(self.queryStrings) : 0)',
  '(has(self.queryStringConditions) ? self.queryStringConditions.map(c, size(c.values)).sum() : 0)',
].join(' + ');

const OCTET = '(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])';
const IPV4_BLOCK = `(${OCTET}[.]){3}${OCTET}/(3[0-2]|[12]?[0-9])`;
const IPV6_BLOCK = '[0-9A-Fa-f.]*:[0-9A-Fa-f:.]*/(12[0-8]|1[01][0-9]|[1-9]?[0-9])';
const CIDR_PATTERN = `^(${IPV4_BLOCK}|${IPV6_BLOCK})$`;

/** ELBv2 takes values or regular expressions in a condition, and one condition of each of these kinds in a rule. */
const notBoth = (
  where: string,
  plain: 'hosts' | 'pathPatterns',
  regexes: 'hostRegexes' | 'pathRegexes',
): Rule => ({
  cel: `!has(self.${plain}) || !has(self.${regexes})`,
  message: `${where} must not have both ${plain} and ${regexes}, which ELBv2 does not support in one rule. Write all of them as regular expressions, or create two rules.`,
});

/** A header is named without regard to case, so that one in two spellings would be two conditions that both have to hold. */
const eachHeaderOnce = (where: string, field: 'headers' | 'headerRegexes'): Rule => ({
  cel: `!has(self.${field}) || self.${field}.all(k, self.${field}.exists_one(o, o.lowerAscii() == k.lowerAscii()))`,
  message: `Headers in ${where}.${field} must be unique, regardless of case. Merge their values.`,
});

const hasConditions: Rule = {
  cel: `${CEL_COUNT} > 0`,
  message:
    'listener.rule must have at least one condition. Set hosts, pathPatterns, methods, sourceIPs, headers, queryStrings, queryStringConditions, or one of the fields of regular expressions: ELBv2 does not support a rule without conditions, and Okra never changes the default rule.',
};

const conditionRulesOf = (where: string): readonly Rule[] => [
  {
    cel: `${CEL_COUNT} <= 5`,
    message: `${where} must have at most 5 condition values in total, the limit of ELBv2 for one rule. Use wildcards, or remove some.`,
  },
  notBoth(where, 'hosts', 'hostRegexes'),
  notBoth(where, 'pathPatterns', 'pathRegexes'),
  eachHeaderOnce(where, 'headers'),
  eachHeaderOnce(where, 'headerRegexes'),
  {
    cel: "!has(self.methods) || self.methods.all(m, m.matches('^[A-Za-z_-]+$'))",
    message: `${where}.methods must be HTTP methods such as GET. Use letters, - and _ only.`,
  },
  {
    cel: `!has(self.sourceIPs) || self.sourceIPs.all(c, c.matches('${CIDR_PATTERN}'))`,
    message: `${where}.sourceIPs must be CIDR blocks such as 10.0.0.0/8. For one address append /32, or /128 with IPv6.`,
  },
];

const matchRules = [hasConditions, ...conditionRulesOf('listener.rule')];

const FORWARD_CONFIG = 'alb.forwardConfig';

/** What the rule of an application matches; without conditions the rule has to be there already. */
export const forwardConfigMatch = matchOf(FORWARD_CONFIG);

export const forwardConfigRules = conditionRulesOf(FORWARD_CONFIG);

/** A listener rule of a Cell: what it matches. What it forwards to is the rollout's business. */
export const cellListenerRule = withRules(
  matchSchema.extend({
    forward: optional(withRules(object(stickiness), [...stickinessRules, noApplicationCookie])).describe(
      'The stickiness; the rollout sets the target groups and their weights.',
    ),
  }),
  matchRules,
);

/** A whole listener rule: what it matches, and where it forwards to. */
export const listenerRule = withRules(
  matchSchema.extend({
    forward: withRules(
      object({ targetGroups: forwardTargetGroups, ...stickiness }),
      stickinessRules,
    ).describe('Where to forward requests that match, and the stickiness.'),
  }),
  matchRules,
);

export type CellListenerRule = z.output<typeof cellListenerRule>;
export type ListenerRule = z.output<typeof listenerRule>;
