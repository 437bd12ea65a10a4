import type { Action, Rule, RuleTransform } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import type { Carried, ListenerRule } from '../../../crds/listener-rule.ts';
import { arnOf } from '../../../domain/testing/builders.ts';
import { carriedIn, toTransform, fromRule, toActions } from './rule-conversion.ts';

const forward = { targetGroups: [{ name: 'a', arn: arnOf('a'), weight: 100 }] };
const ruleWith = (change: Partial<ListenerRule>): ListenerRule => ({ priority: 10, forward, ...change });

const oidcConfig = {
  Issuer: 'https://idp.example.com',
  AuthorizationEndpoint: 'https://idp.example.com/authorize',
  TokenEndpoint: 'https://idp.example.com/token',
  UserInfoEndpoint: 'https://idp.example.com/userinfo',
  ClientId: 'client',
  SessionTimeout: 3600,
  AuthenticationRequestExtraParams: { prompt: 'login' },
};
const oidc: Action = { Type: 'authenticate-oidc', AuthenticateOidcConfig: oidcConfig };
const cognito: Action = {
  Type: 'authenticate-cognito',
  AuthenticateCognitoConfig: { UserPoolArn: 'arn', UserPoolClientId: 'client', UserPoolDomain: 'domain' },
};
const jwt: Action = {
  Type: 'jwt-validation',
  JwtValidationConfig: {
    Issuer: 'issuer',
    JwksEndpoint: 'https://idp.example.com/jwks',
    AdditionalClaims: [{ Name: 'scope', Format: 'string-array', Values: ['a'] }],
  },
};
const last: Action = {
  Type: 'forward',
  ForwardConfig: { TargetGroups: [{ TargetGroupArn: arnOf('a'), Weight: 100 }] },
};

describe('actions', () => {
  it.each<[string, Action, Action]>([
    [
      'OIDC, with the secret that is there',
      oidc,
      { ...oidc, AuthenticateOidcConfig: { ...oidcConfig, UseExistingClientSecret: true } },
    ],
    ['Cognito', cognito, cognito],
    ['validation of tokens', jwt, jwt],
  ])('before the last are written as they were read: %s', (_, shown, want) => {
    // ELBv2 does not promise to show them in their order.
    const carried = carriedIn({
      Actions: [
        { ...last, Order: 20 },
        { ...shown, Order: 3 },
      ],
    });
    expect(toActions(ruleWith({}), carried)).toEqual([
      { ...want, Order: 1 },
      { ...last, Order: 2 },
    ]);
  });

  it('are the forward alone where there is no other', () => {
    expect(toActions(ruleWith({}), carriedIn({ Actions: [last] }))).toEqual([last]);
  });

  it('keep no secret, should one ever be shown', () => {
    const secret = { ...oidcConfig, ClientSecret: 's3cret', UseExistingClientSecret: true };
    const carried = carriedIn({ Actions: [{ ...oidc, AuthenticateOidcConfig: secret }, last] });
    expect(carried).toEqual(carriedIn({ Actions: [oidc, last] }));
    expect(JSON.stringify(carried)).not.toContain('ecret');
  });

  it('that Okra does not know are refused, and not left out', () => {
    const carried: Carried = { actions: [{ type: 'captcha', config: '{}' }] };
    expect(() => toActions(ruleWith({}), carried)).toThrow(
      'The rule has the action captcha, which this version of Okra does not know',
    );
  });
});

describe('transforms', () => {
  const rewrites = { Rewrites: [{ Regex: '^/a', Replace: '/b' }] };
  const transforms: RuleTransform[] = [
    { Type: 'host-header-rewrite', HostHeaderRewriteConfig: rewrites },
    { Type: 'url-rewrite', UrlRewriteConfig: rewrites },
  ];

  it('are written as they were read', () => {
    const { transforms: parts = [] } = carriedIn({ Transforms: transforms });
    expect(parts.map(toTransform)).toEqual(transforms);
  });

  it('that Okra does not know are refused, and not left out', () => {
    expect(() => toTransform({ type: 'shout', config: '{}' })).toThrow('has the transform shout');
  });
});

describe('a rule that ELBv2 returned', () => {
  it('is all that it does', () => {
    const rule: Rule = {
      Priority: '10',
      Conditions: [
        { Field: 'host-header', HostHeaderConfig: { Values: ['a.com'] } },
        { Field: 'ja4', Values: ['a'] },
      ],
      Actions: [cognito, last],
    };
    expect(fromRule(rule, ruleWith({}))).toMatchObject({
      rule: { priority: 10, hosts: ['a.com'], forward },
      carried: { actions: [{ type: 'authenticate-cognito' }] },
      unsaid: ['a condition of the kind ja4'],
    });
  });
});
