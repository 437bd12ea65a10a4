import type { Action, Rule, RuleTransform } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Carried, CarriedPart, ListenerRule } from '../../../crds/listener-rule.ts';
import {
  type PresentRule,
  isCarrying,
} from '../../../domain/load-balancers/application-load-balancer/rule-difference.ts';
import { forwardedBy, singleAsDesired, toTuples } from '../forward.ts';
import { conditionsIn, unsaidIn } from './rule-conditions.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';
import { failure } from '../../failure.ts';
import type { ObservedForwarding } from '../../../domain/load-balancers/load-balancer.ts';

/** Whether a rule belongs to a listener, by its ARN: a status that someone has written can name any rule. */
export const isRuleOf = (listenerARN: string, ruleARN: string): boolean =>
  ruleARN.startsWith(`${listenerARN.replace(':listener/', ':listener-rule/')}/`);

/** What a listener rule serves. */
export const servedBy = (
  listenerARN: string,
  ruleARN: string,
  rule: ListenerRule,
  carried: Carried = {},
): ObservedForwarding<'AWSApplicationLoadBalancer'> => ({
  type: 'AWSApplicationLoadBalancer',
  listenerARN,
  listener: { rule },
  ruleARN,
  ...(isCarrying(carried) ? { carried } : {}),
});

/** The actions that end a rule (API_Action): each rule has exactly one, and it is the last. */
const routing: readonly (string | undefined)[] = ['forward', 'redirect', 'fixed-response'];

/** Whether an action ends a rule, and is not one that comes before. */
export const isRouting = ({ Type }: Action): boolean => routing.includes(Type);

/** What a rule that ELBv2 returned does besides matching and forwarding. */
export function carriedIn({ Actions = [], Transforms = [] }: Rule): Carried {
  const actions = Actions.filter((action) => !isRouting(action))
    .toSorted((a, b) => (a.Order ?? 0) - (b.Order ?? 0))
    .map(fromAction);
  const transforms = Transforms.map(fromTransform).toSorted((a, b) => (a.type < b.type ? -1 : 1));
  return {
    ...(actions.length === 0 ? {} : { actions }),
    ...(transforms.length === 0 ? {} : { transforms }),
  };
}

function fromAction(action: Action): CarriedPart {
  const { AuthenticateOidcConfig: oidc, AuthenticateCognitoConfig, JwtValidationConfig } = action;
  // AWS never returns the secret; should it do so one day, it must not get into a status.
  const { ClientSecret: _, UseExistingClientSecret: __, ...shown } = oidc ?? {};
  const config = AuthenticateCognitoConfig ?? JwtValidationConfig ?? shown;
  return { type: action.Type ?? 'unknown', config: canonical(config) };
}

const fromTransform = ({ Type, HostHeaderRewriteConfig, UrlRewriteConfig }: RuleTransform): CarriedPart => ({
  type: Type ?? 'unknown',
  config: canonical(HostHeaderRewriteConfig ?? UrlRewriteConfig ?? {}),
});

/** An action before the last as ELBv2 takes it for a rule that has one of this kind: OIDC continues with the secret that is there. */
function toAction({ type, config }: CarriedPart): Action {
  switch (type) {
    case 'authenticate-oidc':
      return {
        Type: type,
        AuthenticateOidcConfig: { ...parse<'AuthenticateOidcConfig'>(config), UseExistingClientSecret: true },
      };
    case 'authenticate-cognito':
      return { Type: type, AuthenticateCognitoConfig: parse<'AuthenticateCognitoConfig'>(config) };
    case 'jwt-validation':
      return { Type: type, JwtValidationConfig: parse<'JwtValidationConfig'>(config) };
    default:
      throw unknown('action', type);
  }
}

/** A transform as ELBv2 takes it. */
export function toTransform({ type, config }: CarriedPart): RuleTransform {
  switch (type) {
    case 'host-header-rewrite':
      return { Type: type, HostHeaderRewriteConfig: parse<'HostHeaderRewriteConfig'>(config) };
    case 'url-rewrite':
      return { Type: type, UrlRewriteConfig: parse<'UrlRewriteConfig'>(config) };
    default:
      throw unknown('transform', type);
  }
}

const parse = <Name extends keyof (Action & RuleTransform)>(
  config: string,
): NonNullable<(Action & RuleTransform)[Name]> => JSON.parse(config);

const unknown = (what: string, type: string): Error =>
  failure(
    'Conflict',
    `The rule has the ${what} ${type}, which this version of Okra does not know. Remove it from the rule, or update Okra.`,
  );

/** The actions of a rule as ELBv2 takes them: one forward action that carries all weights (API_ForwardActionConfig), after those that the rule has besides. */
export function toActions({ forward }: ListenerRule, { actions = [] }: Carried): Action[] {
  const { targetGroups, targetGroupStickiness: sticky } = forward;
  const keeping = sticky && {
    TargetGroupStickinessConfig: { Enabled: true, DurationSeconds: sticky.durationSeconds },
  };
  const last: Action = {
    Type: 'forward',
    ForwardConfig: { TargetGroups: toTuples(targetGroups), ...keeping },
  };
  // ELBv2 wants an order where there are several (API_Action).
  return actions.length === 0
    ? [last]
    : [...actions.map(toAction), last].map((action, index) => ({ ...action, Order: index + 1 }));
}

/** A rule as ELBv2 returned it, in Okra's words; names come from what is wanted. */
export function fromRule(rule: Rule, wanted: ListenerRule): PresentRule {
  const groups = forwardedBy(rule.Actions, wanted.forward.targetGroups);
  return {
    rule: {
      priority: Number(rule.Priority),
      ...conditionsIn(rule.Conditions ?? []),
      forward: { targetGroups: singleAsDesired(groups, wanted.forward.targetGroups), ...stickinessIn(rule) },
    },
    carried: carriedIn(rule),
    unsaid: unsaidIn(rule.Conditions ?? []),
  };
}

function stickinessIn(rule: Rule): Pick<ListenerRule['forward'], 'targetGroupStickiness'> {
  const action = rule.Actions?.find((one) => one.Type === 'forward');
  const config = action?.ForwardConfig?.TargetGroupStickinessConfig;
  return config?.Enabled === true
    ? { targetGroupStickiness: { durationSeconds: config.DurationSeconds ?? 0 } }
    : {};
}
