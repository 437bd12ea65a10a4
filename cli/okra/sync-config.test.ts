import { beforeEach, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import {
  aListener,
  listenerARN,
  type FakeListener,
} from '../../activities/load-balancers/application-load-balancer/testing/listener.ts';
import { arnOf } from '../../domain/testing/builders.ts';
import { runOkra, type Outcome } from './testing/shell.ts';

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
