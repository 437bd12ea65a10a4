import {
  type Action,
  CreateListenerCommand,
  type CreateListenerCommandInput,
  CreateLoadBalancerCommand,
  type CreateLoadBalancerCommandInput,
  CreateTargetGroupCommand,
  ElasticLoadBalancingV2,
  type ElasticLoadBalancingV2Client,
  ModifyLoadBalancerAttributesCommand,
  RegisterTargetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Stack } from './stack.ts';

/** Connects to the ELBv2 of a stack as whoever sets up what Okra finds there. */
export function elbv2Of({ aws: { region, endpoint } }: Pick<Stack, 'aws'>): ElasticLoadBalancingV2 {
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  return new ElasticLoadBalancingV2({ region, endpoint, credentials });
}

/** A load balancer with one listener. */
export interface ListenerFixture {
  readonly loadBalancerArn: string;
  readonly listenerArn: string;
}

const noRuleMatched: Action = {
  Type: 'fixed-response',
  FixedResponseConfig: { StatusCode: '503', ContentType: 'text/plain', MessageBody: 'no rule matched' },
};

/** Creates an Application Load Balancer and an HTTP listener, whose default rule answers 503 until someone adds rules. */
export function createListener(client: ElasticLoadBalancingV2Client, name: string): Promise<ListenerFixture> {
  return listen(
    client,
    { Name: name, Type: 'application' },
    { Protocol: 'HTTP', DefaultActions: [noRuleMatched] },
  );
}

/** Creates a Network Load Balancer that crosses zones and a TCP listener, whose default action forwards to a TCP target group; listeners of a dual-stack one take rules. */
export function createNetworkListener(
  client: ElasticLoadBalancingV2Client,
  name: string,
  targetGroupArn: string,
  IpAddressType: 'ipv4' | 'dualstack' = 'ipv4',
): Promise<ListenerFixture> {
  const forward: Action = { Type: 'forward', TargetGroupArn: targetGroupArn };
  return listen(
    client,
    { Name: name, Type: 'network', IpAddressType },
    { Protocol: 'TCP', DefaultActions: [forward] },
  );
}

async function listen(
  client: ElasticLoadBalancingV2Client,
  loadBalancer: Pick<CreateLoadBalancerCommandInput, 'Name' | 'Type' | 'IpAddressType'>,
  listener: Pick<CreateListenerCommandInput, 'Protocol' | 'DefaultActions'>,
): Promise<ListenerFixture> {
  const { subnets } = await defaultNetwork(client);
  const created = await client.send(
    new CreateLoadBalancerCommand({ ...loadBalancer, Subnets: subnets.slice(0, 2) }),
  );
  const loadBalancerArn = given(created.LoadBalancers?.[0]?.LoadBalancerArn, 'an ARN of the load balancer');
  if (loadBalancer.Type === 'network') await crossZones(client, loadBalancerArn);
  const listening = await client.send(
    new CreateListenerCommand({ ...listener, LoadBalancerArn: loadBalancerArn, Port: 80 }),
  );
  return {
    loadBalancerArn,
    listenerArn: given(listening.Listeners?.[0]?.ListenerArn, 'an ARN of the listener'),
  };
}

// A Network Load Balancer keeps to its zones unless told otherwise, and then takes no group stickiness.
const crossZones = (client: ElasticLoadBalancingV2Client, LoadBalancerArn: string): Promise<unknown> =>
  client.send(
    new ModifyLoadBalancerAttributesCommand({
      LoadBalancerArn,
      Attributes: [{ Key: 'load_balancing.cross_zone.enabled', Value: 'true' }],
    }),
  );

/** What a target group is made of beside its name. */
export interface TargetGroupOptions {
  /** HTTP goes behind Application Load Balancers, TCP behind Network Load Balancers. */
  readonly protocol?: 'HTTP' | 'TCP';
  readonly targets?: readonly string[];
  readonly targetType?: 'ip' | 'instance';
}

/** Creates a target group, by default for HTTP, and registers addresses in it, by default one. */
export async function createTargetGroup(
  client: ElasticLoadBalancingV2Client,
  name: string,
  { protocol = 'HTTP', targets = ['172.31.0.10'], targetType = 'ip' }: TargetGroupOptions = {},
): Promise<{ readonly arn: string }> {
  const { vpc } = await defaultNetwork(client);
  const created = await client.send(
    new CreateTargetGroupCommand({
      Name: name,
      Protocol: protocol,
      Port: 8080,
      VpcId: vpc,
      TargetType: targetType,
      ...(protocol === 'HTTP' ? { HealthCheckPath: '/healthz' } : {}),
    }),
  );
  const arn = given(created.TargetGroups?.[0]?.TargetGroupArn, 'an ARN of the target group');
  if (targets.length > 0) {
    const Targets = targets.map((Id) => ({ Id, Port: 8080 }));
    await client.send(new RegisterTargetsCommand({ TargetGroupArn: arn, Targets }));
  }
  return { arn };
}

/** The id of the emulator's default VPC, which all that is created here is in. */
export const defaultVPC = async (client: ElasticLoadBalancingV2Client): Promise<string> =>
  (await defaultNetwork(client)).vpc;

interface Network {
  readonly vpc: string;
  readonly subnets: readonly string[];
}

/** What each client has found; it stays for as long as the emulator runs. */
const networks = new WeakMap<ElasticLoadBalancingV2Client, Promise<Network>>();

function defaultNetwork(client: ElasticLoadBalancingV2Client): Promise<Network> {
  const known = networks.get(client);
  if (known !== undefined) return known;
  const found = findNetwork(client);
  networks.set(client, found);
  found.catch(() => networks.delete(client));
  return found;
}

async function findNetwork(client: ElasticLoadBalancingV2Client): Promise<Network> {
  const answer = await queryEc2(client, 'DescribeSubnets');
  const subnets = [...answer.matchAll(/<subnetId>(subnet-[0-9a-f]+)<\/subnetId>/g)].map(([, id]) =>
    given(id, 'a subnet'),
  );
  return { vpc: given(/<vpcId>(vpc-[0-9a-f]+)<\/vpcId>/.exec(answer)?.[1], 'a default VPC'), subnets };
}

// Two reads of a fixture do not warrant the EC2 client: the emulator tells services apart by the scope of the signature,
// and does not check the signature itself.
async function queryEc2(client: ElasticLoadBalancingV2Client, action: string): Promise<string> {
  const endpoint = await client.config.endpoint?.();
  if (endpoint === undefined)
    throw new Error("Expected a client with the emulator's endpoint, got one for AWS itself.");
  const region = await client.config.region();
  const scope = `Credential=test/20200101/${region}/ec2/aws4_request`;
  const response = await fetch(`${endpoint.protocol}//${endpoint.hostname}:${endpoint.port}/`, {
    method: 'POST',
    headers: {
      authorization: `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=host, Signature=none`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ Action: action, Version: '2016-11-15' }),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`Expected the emulator to answer ${action}, got ${response.status}: ${text}`);
  return text;
}

function given<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`Expected the emulator to answer ${what}, it did not.`);
  return value;
}
