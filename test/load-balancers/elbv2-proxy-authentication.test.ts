import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Action, Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import { createRule, errorOf, forward, path, ruleInput } from './elbv2-proxy/calls.ts';
import { createSite, startFixture, type Fixture, type Site } from './elbv2-proxy/fixture.ts';

let fixture: Fixture;
let site: Site;

beforeAll(async () => {
  fixture = await startFixture();
  const plain = await createSite(fixture);
  const { Listeners } = await fixture.elb.createListener({
    LoadBalancerArn: plain.loadBalancer,
    Protocol: 'HTTPS',
    Port: 443,
    DefaultActions: [{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } }],
  });
  site = { ...plain, listener: Listeners?.[0]?.ListenerArn ?? '' };
}, 120_000);

afterAll(() => fixture[Symbol.asyncDispose]());

const provider = {
  Issuer: 'https://idp.example.com',
  AuthorizationEndpoint: 'https://idp.example.com/authorize',
  TokenEndpoint: 'https://idp.example.com/token',
  UserInfoEndpoint: 'https://idp.example.com/userinfo',
  ClientId: 'client',
  AuthenticationRequestExtraParams: { display: 'page', prompt: 'login' },
};
/** What AWS fills in. */
const filledIn = {
  SessionCookieName: 'AWSELBAuthSessionCookie',
  Scope: 'openid',
  SessionTimeout: 604_800,
  OnUnauthenticatedRequest: 'authenticate',
};
const oidc = (change: object): Action => ({
  Type: 'authenticate-oidc',
  Order: 1,
  AuthenticateOidcConfig: { ...provider, ...change },
});
const last = (...weights: readonly number[]): Action => ({ ...forward(site, ...weights), Order: 2 });

async function read(arn: string): Promise<Rule> {
  const { Rules } = await fixture.elb.describeRules({ RuleArns: [arn] });
  return Rules?.[0] ?? {};
}

describe('authentication before a forward', () => {
  it('is shown as it was told, but for its secret, and stays with the secret that is there', async () => {
    const Actions = [oidc({ ClientSecret: 's3cret' }), last(100, 0)];
    const rule = await createRule(fixture.elb, site, { Priority: 20, Actions });
    const shown = [oidc(filledIn), last(100, 0)];
    expect((await read(rule)).Actions).toMatchObject(shown);
    expect(JSON.stringify(await read(rule))).not.toContain('Secret');
    const kept = [oidc({ UseExistingClientSecret: true }), last(80, 20)];
    const { Rules } = await fixture.elb.modifyRule({ RuleArn: rule, Actions: kept });
    expect(Rules?.[0]?.Actions).toMatchObject([oidc(filledIn), last(80, 20)]);
    expect(JSON.stringify([Rules, await read(rule)])).not.toContain('Secret');
    const log = await fixture.control.calls({ since: 0 });
    expect(JSON.stringify(log)).not.toContain('s3cret');
  });

  it('is gone with the first write that does not name it, and its secret with it', async () => {
    const Actions = [oidc({ ClientSecret: 's' }), last(100, 0)];
    const rule = await createRule(fixture.elb, site, { Priority: 21, Actions });
    await fixture.elb.modifyRule({ RuleArn: rule, Actions: [forward(site, 80, 20)] });
    expect((await read(rule)).Actions?.map((action) => action.Type)).toEqual(['forward']);
    const again = [oidc({ UseExistingClientSecret: true }), last(80, 20)];
    expect(await errorOf(fixture.elb.modifyRule({ RuleArn: rule, Actions: again }))).toMatchObject({
      name: 'InvalidLoadBalancerActionException',
    });
  });

  it('is a validation of tokens as well', async () => {
    const jwt: Action = {
      Type: 'jwt-validation',
      Order: 1,
      JwtValidationConfig: {
        Issuer: 'https://idp.example.com',
        JwksEndpoint: 'https://idp.example.com/jwks',
        AdditionalClaims: [{ Name: 'scope', Format: 'string-array', Values: ['a', 'b'] }],
      },
    };
    const rule = await createRule(fixture.elb, site, { Priority: 22, Actions: [jwt, last(100, 0)] });
    expect((await read(rule)).Actions).toMatchObject([jwt, last(100, 0)]);
  });
});

describe('what else a rule can have', () => {
  const Transforms = [
    { Type: 'url-rewrite' as const, UrlRewriteConfig: { Rewrites: [{ Regex: '^/a', Replace: '/b' }] } },
  ];
  const Conditions = [{ Field: 'host-header', HostHeaderConfig: { RegexValues: ['^(a|b)[.]com$'] } }];

  it('is shown, and stays while it is not named', async () => {
    const rule = await createRule(fixture.elb, site, { Priority: 30, Transforms, Conditions });
    expect(await read(rule)).toMatchObject({ Transforms, Conditions });
    await fixture.elb.modifyRule({ RuleArn: rule, Actions: [forward(site, 50, 50)] });
    expect(await read(rule)).toMatchObject({ Transforms, Conditions });
    const priorities = { RulePriorities: [{ RuleArn: rule, Priority: 31 }] };
    expect((await fixture.elb.setRulePriorities(priorities)).Rules?.[0]).toMatchObject({ Transforms });
    await fixture.elb.modifyRule({ RuleArn: rule, Conditions: [path('/b')], ResetTransforms: true });
    expect(await read(rule)).toMatchObject({ Conditions: [{ Field: 'path-pattern', Values: ['/b'] }] });
    expect((await read(rule)).Transforms ?? []).toEqual([]);
  });

  it('is not there in a rule that is created without it', async () => {
    const { Rules } = await fixture.elb.createRule(ruleInput(site, { Priority: 32 }));
    expect(Rules?.[0]?.Transforms ?? []).toEqual([]);
  });
});
