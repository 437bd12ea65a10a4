import { ElasticLoadBalancingV2 } from '@aws-sdk/client-elastic-load-balancing-v2';
import { inject } from 'vitest';
import { proxyControl, type ProxyControl } from '../../../local/elbv2-proxy/control.ts';
import { startProxy } from '../../../local/elbv2-proxy/server.ts';

const regions = [
  'us-west-2',
  'us-west-1',
  'us-east-2',
  'eu-central-1',
  'eu-west-2',
  'eu-west-3',
  'ap-southeast-1',
] as const;

/** Files that run at the same time use the same emulator, and each a region of its own. */
const REGION = regions[Number(process.env['VITEST_POOL_ID']) % regions.length] ?? regions[0];

/** A proxy before a real emulator, with clients for both of its sides. */
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

/** Starts a proxy of its own on a free port, before the emulator that all share. */
export async function startFixture(): Promise<Fixture> {
  const motoUrl = inject('stack').aws.moto;
  const proxy = await startProxy({ upstream: motoUrl });
  const clients: ElasticLoadBalancingV2[] = [];
  const client: Fixture['client'] = (options = {}) => {
    const { region = REGION, attempts = 1, endpoint = proxy.url, accessKeyId = 'test' } = options;
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
    },
  };
}

/** Calls another AWS service in the query form, signed for it. */
export async function callService(url: string, service: string, form: string): Promise<string> {
  const scope = `test/20260101/${REGION}/${service}/aws4_request`;
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

/** Tells apart the files that one process runs. */
const begun = Date.now().toString(36);
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
  const name = `site-${process.pid}-${begun}-${sites}`;
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
