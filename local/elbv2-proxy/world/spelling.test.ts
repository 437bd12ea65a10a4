import { describe, expect, it } from 'vitest';
import type { Answer } from '../emulator.ts';
import type { Fields } from '../protocol/fields.ts';
import { createSpelling } from './spelling.ts';

const arn = (kind: string, rest: string): string =>
  `arn:aws:elasticloadbalancing:us-east-1:123456789012:${kind}/${rest}`;

const balancers: Fields = {
  LoadBalancers: [
    { LoadBalancerArn: arn('loadbalancer', 'app/web/1a'), Type: 'application' },
    { LoadBalancerArn: arn('loadbalancer', 'app/tcp/2b'), Type: 'network' },
    { LoadBalancerArn: arn('loadbalancer', 'app/tunnel/3c'), Type: 'gateway' },
  ],
};

/** An emulator that answers what it is told, behind a spelling that has seen its load balancers. */
async function spelling() {
  let heard: Fields = {};
  let answer: Answer = { ok: true, result: balancers };
  const ask = createSpelling().spoken((_, parameters) => {
    heard = parameters;
    return Promise.resolve(answer);
  });
  const shown = await ask('DescribeLoadBalancers', {});
  return {
    shown,
    ask: (parameters: Fields) => ask('DescribeListeners', parameters),
    heard: () => heard,
    answer: (next: Answer) => {
      answer = next;
    },
  };
}

const pairs = [
  ['a Network Load Balancer', arn('loadbalancer', 'app/tcp/2b'), arn('loadbalancer', 'net/tcp/2b')],
  ['its listener', arn('listener', 'app/tcp/2b/9'), arn('listener', 'net/tcp/2b/9')],
  ['its rule', arn('listener-rule', 'app/tcp/2b/9/8'), arn('listener-rule', 'net/tcp/2b/9/8')],
  ['a Gateway Load Balancer', arn('loadbalancer', 'app/tunnel/3c'), arn('loadbalancer', 'gwy/tunnel/3c')],
] as const;

const others = [
  ['an Application Load Balancer', arn('listener', 'app/web/1a/9')],
  ['an unknown load balancer', arn('listener', 'net/gone/4d/9')],
  ['a Network Load Balancer spelled as a Gateway Load Balancer', arn('listener', 'gwy/tcp/2b/9')],
  ['an Application Load Balancer spelled as a Network Load Balancer', arn('listener', 'net/web/1a/9')],
  ['a target group', arn('targetgroup', 'app/2b')],
  ['what is no ARN', 'app/tcp/2b'],
] as const;

describe('the spelling of ARNs', () => {
  it('is put right in the answer that tells the types of load balancers', async () => {
    const { shown } = await spelling();
    const found = shown.ok ? shown.result['LoadBalancers'] : [];
    expect(JSON.stringify(found)).toContain('loadbalancer/net/tcp/2b');
    expect(JSON.stringify(found)).toContain('loadbalancer/gwy/tunnel/3c');
    expect(JSON.stringify(found)).toContain('loadbalancer/app/web/1a');
  });

  it.each(pairs)(
    'of %s is that of AWS outside and that of the emulator inside',
    async (_, inside, outside) => {
      const { ask, heard, answer } = await spelling();
      answer({ ok: true, result: { Listeners: [{ ListenerArn: inside, Names: [inside] }] } });
      const got = await ask({ ListenerArns: [outside] });
      expect(heard()).toEqual({ ListenerArns: [inside] });
      expect(got).toEqual({ ok: true, result: { Listeners: [{ ListenerArn: outside, Names: [outside] }] } });
    },
  );

  it.each(pairs)('of %s does not reach it when it is that of the emulator', async (_, inside, outside) => {
    const { ask, heard } = await spelling();
    await ask({ LoadBalancerArn: inside });
    expect(heard()).toEqual({ LoadBalancerArn: outside });
  });

  it.each(others)('of %s stays', async (_, name) => {
    const { ask, heard } = await spelling();
    await ask({ ListenerArn: name });
    expect(heard()).toEqual({ ListenerArn: name });
  });

  it('is that of AWS in the messages of errors, too', async () => {
    const { ask, answer } = await spelling();
    const message = `'${arn('listener', 'app/tcp/2b/9')}' is in use`;
    answer({ ok: false, error: { code: 'ResourceInUse', message, status: 400 } });
    expect(await ask({})).toMatchObject({
      error: { message: `'${arn('listener', 'net/tcp/2b/9')}' is in use` },
    });
  });
});
