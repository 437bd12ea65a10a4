import type { Action, Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import { AWS_APPLICATION_LOAD_BALANCER_CONFIG } from '../../clients/kubernetes/kinds.ts';
import { onStage } from '../support/stage/on-stage.ts';
import type { Stage } from '../support/stage/stage.ts';
import { until } from '../support/until.ts';

const CLIENT_SECRET = 'secret-of-the-identity-provider';
const provider = {
  Issuer: 'https://idp.example.com',
  AuthorizationEndpoint: 'https://idp.example.com/authorize',
  TokenEndpoint: 'https://idp.example.com/token',
  UserInfoEndpoint: 'https://idp.example.com/userinfo',
  ClientId: 'client',
  Scope: 'openid email',
  SessionTimeout: 3600,
  AuthenticationRequestExtraParams: { display: 'page', prompt: 'login' },
};
const oidc: Action = { Type: 'authenticate-oidc', AuthenticateOidcConfig: provider };
const withSecret: Action = {
  ...oidc,
  AuthenticateOidcConfig: { ...provider, ClientSecret: CLIENT_SECRET },
};
const cognito: Action = {
  Type: 'authenticate-cognito',
  AuthenticateCognitoConfig: {
    UserPoolArn: 'arn:aws:cognito-idp:us-east-1:111122223333:userpool/us-east-1_a',
    UserPoolClientId: 'client',
    UserPoolDomain: 'example',
  },
};
const rewrite = {
  Type: 'url-rewrite' as const,
  UrlRewriteConfig: { Rewrites: [{ Regex: '^/api/(.*)$', Replace: '/$1' }] },
};
const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];

describe('a rule that authenticates before it forwards', () => {
  let stage: Stage;
  let priority = 0;
  let secured: readonly string[] = [];
  onStage(
    {
      totals: [20, 40],
      environment: { OKRA_DRIFT_INTERVAL: '1' },
      prepare: async (opened) => {
        opened.secrets.push(CLIENT_SECRET);
        secured = [await listener(opened, 443), await listener(opened, 8443)];
        opened.moreListeners.push(...secured);
      },
    },
    (opened, free) => {
      stage = opened;
      priority = free;
    },
  );

  async function listener(opened: Stage, Port: number): Promise<string> {
    const { Listeners } = await opened.elbv2.describeListeners({ ListenerArns: [opened.listenerARN] });
    const created = await opened.elbv2.createListener({
      LoadBalancerArn: Listeners?.[0]?.LoadBalancerArn,
      Protocol: 'HTTPS',
      Port,
      DefaultActions: Listeners?.[0]?.DefaultActions,
    });
    return created.Listeners?.[0]?.ListenerArn ?? '';
  }
  const ruleAt = async (listenerARN = secured[0]): Promise<Rule | undefined> =>
    (await stage.rules(listenerARN)).find((one) => one.Priority === String(priority));
  const actionsAt = async (listenerARN = secured[0]): Promise<readonly Action[] | undefined> =>
    (await ruleAt(listenerARN))?.Actions;
  const weights = (listenerARN = secured[0]) => stage.weights(priority, listenerARN);
  const forwardTo = (name: string): Action => ({
    Type: 'forward',
    ForwardConfig: { TargetGroups: [{ TargetGroupArn: stage.arns.get(name), Weight: 1 }] },
  });
  const inOrder = (...actions: readonly Action[]): Action[] =>
    actions.map((action, index) => ({ ...action, Order: index + 1 }));

  /** Creates a rule by hand, which does something before it forwards to a group. */
  async function byHand(name: string, before: readonly Action[], more: object = {}): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.elbv2.createRule({
      ListenerArn: secured[0],
      Priority: priority,
      Conditions: [{ Field: 'host-header', HostHeaderConfig: { Values: ['example.com'] } }],
      Actions: inOrder(...before, forwardTo(`${name}a`)),
      ...more,
    });
  }
  /** Sets by hand what a rule does before it forwards. */
  async function setByHand(before: readonly Action[]): Promise<void> {
    const { RuleArn, Actions = [] } = (await ruleAt()) ?? {};
    const last = Actions.filter((one) => one.Type === 'forward');
    await stage.elbv2.modifyRule({ RuleArn, Actions: inOrder(...before, ...last) });
  }
  function cell(name: string, change: { listenerARN?: string | undefined; match?: object } = {}): object {
    const { listenerARN = secured[0], match = { hosts: ['example.com'] } } = change;
    const awsApplicationLoadBalancer = {
      listenerARN,
      listener: { rule: { priority, ...match, forward: {} } },
      targetGroupSelector: { matchLabels: { role: name } },
    };
    const ingress = { type: 'AWSApplicationLoadBalancer', awsApplicationLoadBalancer };
    return {
      ...stage.cell(name, { steps, spec: { ingress } }),
      metadata: { name, annotations: { 'okra.mumo.co/adopt': 'true' } },
    };
  }
  /** Hands a rule that was made by hand over to a Cell. */
  async function adopted(name: string, before: readonly Action[], more: object = {}): Promise<void> {
    await byHand(name, before, more);
    await stage.apply(cell(name));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.untilClosed(stage.workflowId(name));
  }
  const untilConflict = (name: string) =>
    until(
      `the configuration of ${name} to be in conflict`,
      async () => {
        const status = (await stage.config(name))?.status;
        return status?.reason === 'Conflict' ? status : undefined;
      },
      { seen: async () => (await stage.config(name))?.status },
    );
  const pausedAt = (name: string, weight: number) =>
    stage.untilStatus(
      name,
      `paused at ${weight}`,
      (status) => status.phase === 'Paused' && status.canaryWeight === weight,
    );

  it('continues doing so through a whole canary, with the secret that is there', async () => {
    await adopted('oidc', [withSecret]);
    const before = (await actionsAt())?.[0];
    expect(before).toMatchObject({ ...oidc, Order: 1 });
    await stage.targetGroups('2.0.0', ['oidcb'], { role: 'oidc' });
    for (const [weight, next] of [
      [20, 'promote'],
      [40, 'promote'],
    ] as const) {
      await pausedAt('oidc', weight);
      expect(await weights()).toEqual({ oidca: 100 - weight, oidcb: weight });
      expect((await actionsAt())?.[0]).toEqual(before);
      await stage.signal('oidc', next);
    }
    await stage.untilPhase('oidc', 'Completed', '2.0.0');
    expect(await weights()).toEqual({ oidca: 0, oidcb: 100 });
    expect((await actionsAt())?.[0]).toEqual(before);
    const writes = (await stage.calls()).filter((call) => call.action === 'ModifyRule' && call.applied);
    expect(writes.length).toBeGreaterThanOrEqual(4);
    for (const { parameters } of writes) {
      expect(parameters['Actions']).toMatchObject([
        { Type: 'authenticate-oidc', AuthenticateOidcConfig: { UseExistingClientSecret: 'true' } },
        { Type: 'forward' },
      ]);
    }
    expect((await stage.config('oidc'))?.status?.carried?.actions).toMatchObject([
      { type: 'authenticate-oidc' },
    ]);
  });

  it('is aborted by one write that keeps it', async () => {
    await adopted('back', [withSecret]);
    await stage.targetGroups('2.0.0', ['backb'], { role: 'back' });
    await pausedAt('back', 20);
    const before = (await stage.writes()).length;
    await stage.signal('back', 'abort');
    await stage.untilPhase('back', 'Reverted', '1.0.0');
    expect((await stage.writes()).slice(before)).toEqual([{ backa: 100, backb: 0 }]);
    expect((await actionsAt())?.[0]).toMatchObject(oidc);
  });

  it('keeps what someone adds in the midst of a rollout', async () => {
    await adopted('add', []);
    await stage.targetGroups('2.0.0', ['addb'], { role: 'add' });
    await pausedAt('add', 20);
    await setByHand([withSecret]);
    await stage.signal('add', 'promote');
    await pausedAt('add', 40);
    expect(await actionsAt()).toMatchObject([oidc, { Type: 'forward' }]);
    await stage.signal('add', 'promote');
    await stage.untilPhase('add', 'Completed', '2.0.0');
    expect(await actionsAt()).toMatchObject([oidc, { Type: 'forward' }]);
    await until(
      'the status to say so',
      async () => (await stage.config('add'))?.status?.carried?.actions?.[0]?.type === 'authenticate-oidc',
    );
  });

  it('A-R05 gets it back when someone takes it off, where it can be made again', async () => {
    await adopted('heal', [cognito]);
    const before = (await actionsAt())?.[0];
    await setByHand([]);
    await until('the rule to authenticate again', async () => (await actionsAt())?.length === 2, {
      seen: actionsAt,
    });
    expect((await actionsAt())?.[0]).toEqual(before);
    expect(await weights()).toHaveProperty('heala');
  });

  it('A-R05 is said to have lost it when someone takes it off, where its secret is gone with it', async () => {
    await adopted('lost', [withSecret]);
    await stage.mark();
    await setByHand([]);
    const status = await untilConflict('lost');
    expect(status.message).toContain('has lost authenticate-oidc, which came before it forwards');
    expect(status.conditions?.find((one) => one.type === 'Degraded')).toMatchObject({
      status: 'True',
      reason: 'Conflict',
    });
    expect(await stage.writes()).toEqual([]);
    // The way out: it is meant to be open from now on.
    const before = (await stage.config('lost'))?.metadata.uid;
    await stage.delete(AWS_APPLICATION_LOAD_BALANCER_CONFIG, 'lost');
    const now = await until('the configuration to be made again', async () => {
      const config = await stage.config('lost');
      return config?.metadata.uid !== before && config?.status?.reason === 'Served' ? config : undefined;
    });
    expect(now.status?.carried).toBeUndefined();
  });

  it('takes all that it does along to another listener', async () => {
    await adopted('move', [cognito], { Transforms: [rewrite] });
    await stage.apply(cell('move', { listenerARN: secured[1] }));
    await until('the old rule to be gone', async () => (await ruleAt()) === undefined);
    expect(await ruleAt(secured[1])).toMatchObject({
      Actions: [cognito, { Type: 'forward' }],
      Transforms: [rewrite],
    });
    expect(await weights(secured[1])).toEqual({ movea: expect.any(Number) as number });
  });

  it('stays at its listener where its secret cannot be taken along', async () => {
    await adopted('stay', [withSecret]);
    await stage.mark();
    await stage.apply(cell('stay', { listenerARN: secured[1] }));
    const status = await untilConflict('stay');
    expect(status.message).toContain('AWS does not show its client secret');
    expect(await stage.writes()).toEqual([]);
    expect(await actionsAt()).toMatchObject([oidc, { Type: 'forward' }]);
    expect(await ruleAt(secured[1])).toBeUndefined();
    await stage.apply(cell('stay'));
    await stage.untilStatus(
      'stay',
      'settled again',
      (one) => one.phase === 'Completed' && one.reason !== 'Conflict',
    );
    // What was refused may have been written all the same, so that what serves is written again.
    await stage.untilAtRest('stay');
  });

  it('is taken over only where nothing is lost by that', async () => {
    const RegexValues = ['^(www|m)[.]example[.]com$'];
    await byHand('regex', [withSecret], {
      Conditions: [{ Field: 'host-header', HostHeaderConfig: { RegexValues } }],
    });
    const before = await ruleAt();
    await stage.apply(cell('regex'));
    const held = await stage.untilStatus('regex', 'in conflict', (one) => one.reason === 'Conflict');
    expect(held.message).toContain('hostRegexes ^(www|m)[.]example[.]com$');
    expect(await ruleAt()).toEqual(before);
    await stage.apply(cell('regex', { match: { hostRegexes: RegexValues } }));
    await stage.untilPhase('regex', 'Completed', '1.0.0');
    expect(await ruleAt()).toMatchObject({
      Conditions: [{ HostHeaderConfig: { RegexValues } }],
      Actions: [oidc, { Type: 'forward' }],
    });
  });

  it('is not taken over where it does not forward at all', async () => {
    await stage.targetGroups('1.0.0', ['reda'], { role: 'red' });
    await stage.elbv2.createRule({
      ListenerArn: secured[0],
      Priority: priority,
      Conditions: [{ Field: 'host-header', HostHeaderConfig: { Values: ['example.com'] } }],
      Actions: [{ Type: 'redirect', RedirectConfig: { StatusCode: 'HTTP_301', Host: 'www.example.com' } }],
    });
    await stage.apply(cell('red'));
    const held = await stage.untilStatus('red', 'in conflict', (one) => one.reason === 'Conflict');
    expect(held.message).toContain('it must forward to target groups, but has redirect.');
    expect(await stage.writes()).toEqual([]);
  });
});
