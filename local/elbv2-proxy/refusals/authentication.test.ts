import { describe } from 'vitest';
import type { Fields } from '../protocol/fields.ts';
import { forwardTo, listenerArn, loadBalancerArn, ruleArn } from '../world/sample.ts';
import { authenticationRules, transformRules } from './authentication.ts';
import { create, doing, fixed, invalid, itRefuses, itTakes, modify, oidc } from './sample.ts';

const refused = 'InvalidLoadBalancerAction';

const oidcWith = (change: Fields): Fields => ({
  Type: 'authenticate-oidc',
  Order: '1',
  AuthenticateOidcConfig: { ClientId: 'c', ...change },
});
const secret = oidcWith({ ClientSecret: 's' });
const existing = oidcWith({ UseExistingClientSecret: 'true' });
const cognito: Fields = { Type: 'authenticate-cognito', Order: '1', AuthenticateCognitoConfig: {} };
const tokens: Fields = { Type: 'jwt-validation', Order: '1', JwtValidationConfig: {} };
const last = { ...forwardTo({ s: 100 }), Order: '9' };

/** A CreateRule call on the HTTPS listener. */
const secured = (...before: readonly Fields[]): Fields =>
  create({ ListenerArn: listenerArn('secure'), Actions: [...before, last] });
/** A ModifyRule call on a rule that authenticates. */
const modified = (...before: readonly Fields[]): Fields => ({
  RuleArn: ruleArn('secure', 'a10'),
  Actions: [...before, last],
});
const listening = (Protocol: string): Fields => ({
  LoadBalancerArn: loadBalancerArn('secure'),
  Protocol,
  Port: '444',
  DefaultActions: [secret, last],
});

describe('authentication', () => {
  itRefuses(authenticationRules, [
    [
      'it on an HTTP listener',
      'CreateRule',
      doing({ ...oidc, Order: '1' }, { ...fixed, Order: '2' }),
      'authentication-on-https',
      refused,
    ],
    [
      'tokens on an HTTP listener',
      'CreateRule',
      doing(tokens, { ...fixed, Order: '2' }),
      'authentication-on-https',
      refused,
    ],
    ['it on a new HTTP listener', 'CreateListener', listening('HTTP'), 'authentication-on-https', refused],
    [
      'the end of HTTPS under a rule with it',
      'ModifyListener',
      { ListenerArn: listenerArn('secure'), Protocol: 'HTTP' },
      'authentication-on-https',
      refused,
    ],
    [
      'it twice',
      'CreateRule',
      secured(secret, { ...cognito, Order: '2' }),
      'one-authentication',
      'TooManyActions',
    ],
    ['no secret', 'CreateRule', secured(oidcWith({})), 'client-secret', refused],
    ['no secret', 'ModifyRule', modified(oidcWith({})), 'client-secret', refused],
    [
      'a secret beside the existing one',
      'ModifyRule',
      modified(oidcWith({ ClientSecret: 's', UseExistingClientSecret: 'true' })),
      'client-secret',
      refused,
    ],
    ['the existing secret of a new rule', 'CreateRule', secured(existing), 'client-secret', refused],
    [
      'the existing secret of a listener that has none',
      'ModifyListener',
      { ListenerArn: listenerArn('secure'), DefaultActions: [existing, last] },
      'client-secret',
      refused,
    ],
  ]);
  itTakes([
    ['a secret', 'CreateRule', secured(secret)],
    ['another secret', 'ModifyRule', modified(secret)],
    ['the existing secret', 'ModifyRule', modified(existing)],
    ['a user pool', 'CreateRule', secured(cognito)],
    ['tokens', 'CreateRule', secured(tokens)],
    ['an end of it', 'ModifyRule', modified()],
    [
      'HTTP where nothing authenticates',
      'ModifyListener',
      { ListenerArn: listenerArn('web'), Protocol: 'HTTP' },
    ],
    ['it on a new HTTPS listener', 'CreateListener', listening('HTTPS')],
  ]);
});

const rewrite = (Type: string): Fields => ({ Type });
const [host, url] = [rewrite('host-header-rewrite'), rewrite('url-rewrite')];

describe('transforms', () => {
  itRefuses(transformRules, [
    [
      'an unknown transform',
      'CreateRule',
      create({ Transforms: [rewrite('shout')] }),
      'one-transform-of-a-kind',
      invalid,
    ],
    [
      'a transform twice',
      'ModifyRule',
      modify({ Transforms: [url, url] }),
      'one-transform-of-a-kind',
      invalid,
    ],
    [
      'transforms and none at once',
      'ModifyRule',
      modify({ Transforms: [url], ResetTransforms: 'true' }),
      'transforms-or-reset',
      invalid,
    ],
  ]);
  itTakes([
    ['one of each kind', 'CreateRule', create({ Transforms: [host, url] })],
    ['an end of them', 'ModifyRule', modify({ ResetTransforms: 'true' })],
  ]);
});
