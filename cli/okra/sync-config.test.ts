import type { Action } from '@aws-sdk/client-elastic-load-balancing-v2';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { ELBv2 } from '../../clients/aws/elbv2.ts';
import {
  aListener,
  listenerARN,
  type FakeListener,
} from '../../activities/load-balancers/application-load-balancer/testing/listener.ts';
import { arnOf } from '../../domain/testing/builders.ts';
import { runOkra, type FakeObject, type Outcome } from './testing/shell.ts';

const asked: readonly string[] = [
  'sync',
  'awsapplicationloadbalancerconfig',
  '--listener-arn',
  listenerARN,
  '--listener-rule-priority',
  '10',
  '--address',
  'http://127.0.0.1:1',
  '--target-group-1-arn',
  arnOf('a'),
  '--target-group-2-arn',
  arnOf('b'),
];

describe('okra sync awsapplicationloadbalancerconfig by the command line', () => {
  let listener: FakeListener;
  beforeEach(() => {
    listener = aListener();
  });
  const sync = (...words: readonly string[]): Promise<Outcome> =>
    runOkra([...asked, ...words], { elbv2: listener.elbv2 });

  it('A-L08 makes a rule that forwards to both target groups alike', async () => {
    const said = await sync();
    expect(said).toMatchObject({ code: 0, err: '', objects: [], out: 'Rule 10 forwards to a 50, b 50.\n' });
    expect(listener.weights(10)).toEqual({ a: 50, b: 50 });
  });

  it('changes the weights, and keeps the conditions unless it is told others', async () => {
    await sync('--listener-rule-host', 'a.com');
    await sync('--target-group-1-weight', '20', '--target-group-2-weight', '80');
    expect(listener.weights(10)).toEqual({ a: 20, b: 80 });
    expect(listener.rule(10)?.Conditions).toMatchObject([{ HostHeaderConfig: { Values: ['a.com'] } }]);
    await sync('--listener-rule-host', 'b.com');
    expect(listener.rule(10)?.Conditions).toMatchObject([{ HostHeaderConfig: { Values: ['b.com'] } }]);
  });

  it('leaves the rule of someone else as it is, unless it is told to adopt it', async () => {
    listener.byHand(10, {});
    const said = await sync();
    expect([said.code, listener.weights(10)]).toEqual([1, { a: 7 }]);
    expect(said.err).toContain('--adopt');
    expect(await sync('--adopt')).toMatchObject({ code: 0, err: '' });
    expect(listener.weights(10)).toEqual({ a: 50, b: 50 });
  });

  it('writes nothing with --dry-run, and prints the call', async () => {
    const said = await sync('--dry-run');
    expect([said.code, said.err, listener.rule(10)]).toEqual([0, '', undefined]);
    expect(said.out).toContain('# would call CreateRule of ELBv2');
    expect(parseAllDocuments(said.out).flatMap(({ errors }) => errors)).toEqual([]);
  });

  it('refuses weights that ELBv2 would not take', async () => {
    expect(await sync('--target-group-1-weight', '1000')).toMatchObject({ code: 2 });
  });
});

describe('okra sync awsnetworkloadbalancerconfig', () => {
  const arn = 'arn:aws:elasticloadbalancing:ap-northeast-1:111122223333:listener/net/demo/a/b';
  const groups = [
    { name: 'a', arn: arnOf('a'), weight: 20 },
    { name: 'b', arn: arnOf('b'), weight: 80 },
  ];
  const object = {
    apiVersion: 'okra.mumo.co/v1alpha1',
    kind: 'AWSNetworkLoadBalancerConfig',
    metadata: { namespace: 'default', name: 'tcp', uid: 'uid-tcp', generation: 1 },
    spec: { listenerARN: arn, listener: { forward: { targetGroups: groups } } },
  } as FakeObject;

  /** A listener that Okra may write, and what it forwards to. */
  function aNetworkListener(owner = 'default/tcp@installation') {
    const now = { action: { Type: 'forward', TargetGroupArn: arnOf('a') } as Action };
    const elbv2: Partial<ELBv2> = {
      ready: () => Promise.resolve(),
      listener: () => Promise.resolve({ ListenerArn: arn, DefaultActions: [now.action] }),
      rulesOf: () => Promise.resolve([]),
      tagsOf: () => Promise.resolve({ 'okra.mumo.co/owner': owner }),
      tag: () => Promise.resolve(),
      setDefaultAction: (_, action) => Promise.resolve(void (now.action = action)),
    };
    const words = ['sync', 'awsnetworkloadbalancerconfig', 'tcp'];
    const sync = (...more: readonly string[]): Promise<Outcome> =>
      runOkra([...words, ...more], { objects: [object, installation], elbv2: elbv2 as ELBv2 });
    return { now, sync };
  }
  const installation = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'default', name: 'okra-installation' },
    data: { id: 'installation' },
  } as FakeObject;

  it('writes the weights of the listener, and reports them', async () => {
    const { now, sync } = aNetworkListener();
    const said = await sync();
    expect(said).toMatchObject({ code: 0, err: '', out: 'The listener forwards to a 20, b 80.\n' });
    expect(now.action.ForwardConfig?.TargetGroups?.map(({ Weight }) => Weight)).toEqual([20, 80]);
    const written = said.objects.find(({ kind }) => kind === object.kind);
    expect(written).toMatchObject({ status: { weights: 'a: 20, b: 80' } });
  });

  it('writes nothing with --dry-run, and prints the call', async () => {
    const { now, sync } = aNetworkListener();
    expect((await sync('--dry-run')).out).toContain('# would call ModifyListener of ELBv2');
    expect(now.action.ForwardConfig).toBeUndefined();
  });

  it('says that it is not there, or the business of a Cell', async () => {
    const said = await runOkra(['sync', 'awsnetworkloadbalancerconfig', 'other']);
    expect([said.code, said.err]).toEqual([
      1,
      expect.stringContaining('other not found, or it belongs to a'),
    ]);
  });
});
