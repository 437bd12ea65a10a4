import { type Fields, fieldsOf, items, text, texts } from '../protocol/fields.ts';
import { forwardOf, usersOf, type World } from './world.ts';

/*
 * AWS fills in what a caller left out, the emulator does not: both forms of a forward action, both forms of a condition.
 * https://docs.aws.amazon.com/cli/latest/reference/elbv2/create-rule.html shows it in the output of its examples.
 */

/** What AWS takes for a setting of an authentication that was left out (API_AuthenticateOidcActionConfig). */
const authentication: Fields = {
  SessionCookieName: 'AWSELBAuthSessionCookie',
  Scope: 'openid',
  SessionTimeout: '604800',
  OnUnauthenticatedRequest: 'authenticate',
};

/** Shows an authentication as AWS does, which never shows the secret, nor that the existing one was used. */
function shownAuthentication(action: Fields, name: string): Fields {
  const { ClientSecret: _, UseExistingClientSecret: __, ...shown } = fieldsOf(action, name);
  return { ...action, [name]: { ...authentication, ...shown } };
}

function shownAction(action: Fields): Fields {
  if (action['Type'] === 'authenticate-oidc') return shownAuthentication(action, 'AuthenticateOidcConfig');
  if (action['Type'] === 'authenticate-cognito')
    return shownAuthentication(action, 'AuthenticateCognitoConfig');
  const groups = forwardOf(action);
  if (action['Type'] !== 'forward' || groups.length === 0) return action;
  const config = fieldsOf(action, 'ForwardConfig');
  const filled = {
    TargetGroups: groups.map((one) => ({ TargetGroupArn: one.arn, Weight: String(one.weight ?? 1) })),
    TargetGroupStickinessConfig: config['TargetGroupStickinessConfig'] ?? { Enabled: 'false' },
  };
  const [only] = groups;
  const single = groups.length === 1 && only !== undefined ? { TargetGroupArn: only.arn } : {};
  return { ...action, ...single, ForwardConfig: filled };
}

const configNames: Readonly<Record<string, string>> = {
  'host-header': 'HostHeaderConfig',
  'path-pattern': 'PathPatternConfig',
};

function shownCondition(condition: Fields): Fields {
  const name = configNames[text(condition, 'Field') ?? ''];
  if (name === undefined) return condition;
  const config = fieldsOf(condition, name);
  const values = [...texts(condition, 'Values'), ...texts(config, 'Values')];
  if (values.length === 0) return condition;
  const unique = [...new Set(values)];
  return { ...condition, Values: unique, [name]: { ...config, Values: unique } };
}

/** Shows a rule as AWS answers it. */
export const shownRule = (rule: Fields): Fields => ({
  ...rule,
  Actions: items(rule, 'Actions').map(shownAction),
  Conditions: items(rule, 'Conditions').map(shownCondition),
});

/** Shows a listener as AWS answers it. */
export const shownListener = (listener: Fields): Fields => ({
  ...listener,
  DefaultActions: items(listener, 'DefaultActions').map(shownAction),
});

/** Shows a target group with the load balancers that really use it, which the emulator keeps from creation only. */
export const shownTargetGroup = (world: World, group: Fields): Fields => ({
  ...group,
  LoadBalancerArns: [...usersOf(world, text(group, 'TargetGroupArn') ?? '')],
});

const dayLong = ['stickiness.lb_cookie.duration_seconds', 'stickiness.app_cookie.duration_seconds'];

/** Shows the attributes of a target group; AWS names the durations of cookies even before anybody has set them. */
export function shownAttributes(group: Fields, attributes: readonly Fields[]): readonly Fields[] {
  if (!['HTTP', 'HTTPS'].includes(text(group, 'Protocol') ?? '')) return attributes;
  const keys = attributes.map((one) => text(one, 'Key'));
  const missing = dayLong.filter((key) => !keys.includes(key));
  return [...attributes, ...missing.map((Key) => ({ Key, Value: '86400' }))];
}
