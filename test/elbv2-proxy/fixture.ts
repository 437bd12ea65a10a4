import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { proxyControl } from '../../deploy/local/elbv2-proxy/control.ts';
import type { ProxyControl } from '../../deploy/local/elbv2-proxy/control.ts';
import { startProxy } from '../../deploy/local/elbv2-proxy/server.ts';
import { provision } from '../../deploy/local/provision.mjs';

/** The proxy before a real emulator, with clients for both of its sides. */
export interface Fixture extends AsyncDisposable {
  readonly url: string;
  readonly motoUrl: string;
  readonly control: ProxyControl;
  readonly elb: ElasticLoadBalancingV2;
  /** Makes a client of one's own, for another region, address or access key, or with retries. */
  client(options?: {
    readonly region?: string;
    readonly attempts?: number;
    readonly endpoint?: string;
    readonly accessKeyId?: string;
  }): ElasticLoadBalancingV2;
}

/** Finds the pinned moto, and installs it where it is missing. */
async function motoPython(): Promise<string> {
  const { moto } = await provision(['moto'], { env: process.env, say: () => undefined });
  if (moto === undefined) throw new Error('Expected the Python of moto from the provisioner, got nothing.');
  return moto;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function untilItAnswers(url: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; await wait(50)) {
    const isUp = await fetch(`${url}/moto-api/`).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (Date.now() > deadline)
      throw new Error(`Expected moto to answer at ${url} within a minute, got nothing.`);
  }
}

/** Starts moto and the proxy before it on free ports. */
export async function startFixture(): Promise<Fixture> {
  const port = await freePort();
  const emulator = fileURLToPath(new URL('../../deploy/local/aws-emulator.py', import.meta.url));
  const moto = spawn(await motoPython(), [emulator, '-H', '127.0.0.1', '-p', String(port)], {
    stdio: 'ignore',
  });
  const motoUrl = `http://127.0.0.1:${port}`;
  try {
    await untilItAnswers(motoUrl);
  } catch (error) {
    moto.kill('SIGTERM');
    throw error;
  }
  const proxy = await startProxy({ upstream: motoUrl });
  const clients: ElasticLoadBalancingV2[] = [];
  const client: Fixture['client'] = (options = {}) => {
    const { region = 'us-east-1', attempts = 1, endpoint = proxy.url, accessKeyId = 'test' } = options;
    const credentials = { accessKeyId, secretAccessKey: 'test' };
    const one = new ElasticLoadBalancingV2({
      endpoint,
      region,
      credentials,
      maxAttempts: attempts,
    });
    clients.push(one);
    return one;
  };
  return {
    url: proxy.url,
    motoUrl,
    control: proxyControl(proxy.url),
    elb: client(),
    client,
    [Symbol.asyncDispose]: async () => {
      for (const one of clients) one.destroy();
      await proxy.close();
      moto.kill('SIGTERM');
      if (moto.exitCode === null) await once(moto, 'exit');
    },
  };
}

/** Calls another AWS service in the query form, signed for it. */
export async function callService(url: string, service: string, form: string): Promise<string> {
  const scope = `test/20260101/us-east-1/${service}/aws4_request`;
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`,
    },
    body: form,
  });
  return answer.text();
}

const all = (xml: string, tag: string): readonly string[] =>
  [...xml.matchAll(new RegExp(`<${tag}>([^<]+)</${tag}>`, 'g'))].map((match) => match[1] ?? '');

/** A load balancer with a listener, and target groups with two targets each. */
export interface Site {
  readonly name: string;
  readonly loadBalancer: string;
  readonly listener: string;
  readonly groups: readonly string[];
}

let sites = 0;

/** Creates a site of its own, so that tests do not meet. */
export async function createSite(
  { url, elb }: Fixture,
  {
    groups = 2,
    type = 'application',
  }: { readonly groups?: number; readonly type?: 'application' | 'network' } = {},
): Promise<Site> {
  sites += 1;
  const name = `site${sites}`;
  const subnets = all(
    await callService(url, 'ec2', 'Action=DescribeSubnets&Version=2016-11-15'),
    'subnetId',
  ).slice(0, 2);
  const [vpc = ''] = all(await callService(url, 'ec2', 'Action=DescribeVpcs&Version=2016-11-15'), 'vpcId');
  const balancers = await elb.createLoadBalancer({ Name: name, Subnets: [...subnets], Type: type });
  const loadBalancer = balancers.LoadBalancers?.[0]?.LoadBalancerArn ?? '';
  // Otherwise it keeps to its zones, and takes no group stickiness.
  const Attributes = [{ Key: 'load_balancing.cross_zone.enabled', Value: 'true' }];
  if (type === 'network')
    await elb.modifyLoadBalancerAttributes({ LoadBalancerArn: loadBalancer, Attributes });
  const arns: string[] = [];
  for (let made = 0; made < groups; made += 1)
    arns.push(await createGroup(elb, { name: `${name}-${made}`, vpc, type }));
  const listeners = await elb.createListener({
    LoadBalancerArn: loadBalancer,
    Protocol: type === 'network' ? 'TCP' : 'HTTP',
    Port: 80,
    DefaultActions:
      type === 'network'
        ? [{ Type: 'forward', TargetGroupArn: arns[0] }]
        : [{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } }],
  });
  return { name, loadBalancer, listener: listeners.Listeners?.[0]?.ListenerArn ?? '', groups: arns };
}

interface GroupOptions {
  readonly name: string;
  readonly vpc: string;
  readonly type: 'application' | 'network';
}

async function createGroup(elb: ElasticLoadBalancingV2, { name, vpc, type }: GroupOptions): Promise<string> {
  const Protocol = type === 'network' ? 'TCP' : 'HTTP';
  const made = await elb.createTargetGroup({ Name: name, Protocol, Port: 80, VpcId: vpc, TargetType: 'ip' });
  const TargetGroupArn = made.TargetGroups?.[0]?.TargetGroupArn ?? '';
  await elb.registerTargets({ TargetGroupArn, Targets: [{ Id: '10.0.0.1' }, { Id: '10.0.0.2' }] });
  return TargetGroupArn;
}
