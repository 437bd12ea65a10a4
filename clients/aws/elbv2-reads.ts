import {
  DescribeListenersCommand,
  DescribeLoadBalancerAttributesCommand,
  DescribeLoadBalancersCommand,
  DescribeRulesCommand,
  DescribeTagsCommand,
  DescribeTargetGroupAttributesCommand,
  DescribeTargetGroupsCommand,
  DescribeTargetHealthCommand,
  ListenerNotFoundException,
  LoadBalancerNotFoundException,
  type Action,
  type ElasticLoadBalancingV2Client,
  type Rule,
  type Listener,
  type LoadBalancer,
  type TargetGroup,
  type TargetHealthDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { given } from '../../domain/model/fields.ts';
import { undefinedOn } from '../concurrency.ts';
import { readPages } from './aws-pages.ts';

type Tags = Readonly<Record<string, string>>;

/** Reads of ELBv2. Errors are those of the AWS SDK, under the names that the AWS documentation lists. */
export type ELBv2Reads = ReturnType<typeof elbv2Reads>;

/** Makes the reads, which the client repeats when they fail. */
export function elbv2Reads(client: ElasticLoadBalancingV2Client) {
  const describeTags = async (ResourceArns: string[], signal?: AbortSignal) => {
    const found = await client.send(new DescribeTagsCommand({ ResourceArns }), until(signal));
    return listed(found.TagDescriptions, 'tags').map(
      ({ ResourceArn = '', Tags }) =>
        [ResourceArn, recordOf(listed(Tags, `the tags of ${ResourceArn}`))] as const,
    );
  };
  return {
    /** Reads the rules of a listener without its default rule, page by page (API_DescribeRules). */
    rulesOf: async (ListenerArn: string, signal?: AbortSignal): Promise<readonly Rule[]> =>
      (await rulesIn(client, { ListenerArn }, signal)).filter(({ Priority }) => Priority !== 'default'),
    /** Reads one rule; undefined when there is none (API_DescribeRules). */
    rule: (ruleARN: string, signal?: AbortSignal): Promise<Rule | undefined> =>
      unlessNamed('RuleNotFoundException', async () => {
        const [rule] = await rulesIn(client, { RuleArns: [ruleARN] }, signal);
        return rule;
      }),
    /** Reads one listener (API_DescribeListeners). */
    listener: async (listenerARN: string, signal?: AbortSignal): Promise<Listener> => {
      const command = new DescribeListenersCommand({ ListenerArns: [listenerARN] });
      const [listener] = listed((await client.send(command, until(signal))).Listeners, 'listeners');
      if (listener !== undefined) return { ...listener, DefaultActions: actionsOf(listener.DefaultActions) };
      throw new ListenerNotFoundException({ message: `${listenerARN} was not found`, $metadata: {} });
    },
    /** Reads one load balancer (API_DescribeLoadBalancers). */
    loadBalancer: async (arn: string, signal?: AbortSignal): Promise<LoadBalancer> => {
      const command = new DescribeLoadBalancersCommand({ LoadBalancerArns: [arn] });
      const found = await client.send(command, until(signal));
      const [loadBalancer] = listed(found.LoadBalancers, 'load balancers');
      if (loadBalancer !== undefined) return loadBalancer;
      throw new LoadBalancerNotFoundException({ message: `${arn} was not found`, $metadata: {} });
    },
    /** Reads the attributes of a load balancer (API_DescribeLoadBalancerAttributes). */
    loadBalancerAttributes: async (LoadBalancerArn: string, signal?: AbortSignal): Promise<Tags> => {
      const command = new DescribeLoadBalancerAttributesCommand({ LoadBalancerArn });
      const found = await client.send(command, until(signal));
      return recordOf(listed(found.Attributes, `the attributes of ${LoadBalancerArn}`));
    },
    /** Reads the tags of a rule, a listener or a target group (API_DescribeTags). */
    tagsOf: async (arn: string, signal?: AbortSignal): Promise<Tags> => {
      const [description] = await describeTags([arn], signal);
      return description?.[1] ?? recordOf(listed(undefined, `the tags of ${arn}`));
    },
    /** Reads the tags of rules or listeners, by ARN; fails when one of them is gone (API_DescribeTags). */
    tagsOfAll: async (arns: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Tags>> => {
      const tags = new Map<string, Tags>();
      for (const some of chunksOf(arns))
        for (const [arn, of] of await describeTags(some, signal)) tags.set(arn, of);
      return tags;
    },
    /** Reads the tags of at most 20 target groups, by ARN; those that AWS does not know are left out (API_DescribeTags). */
    tagsOfGroups: async (arns: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Tags>> =>
      new Map(await knownOf(arns, (some) => describeTags([...some], signal))),
    /** Reads target groups; those that AWS does not know are left out (API_DescribeTargetGroups). */
    targetGroups: async (arns: readonly string[], signal?: AbortSignal): Promise<readonly TargetGroup[]> => {
      const found: TargetGroup[] = [];
      for (const some of chunksOf(arns))
        found.push(...(await knownOf(some, (these) => groupPages(client, these, signal))));
      return found;
    },
    /** Reads the target group of a name; undefined when there is none (API_DescribeTargetGroups). */
    targetGroupNamed: (name: string, signal?: AbortSignal): Promise<TargetGroup | undefined> =>
      unlessNamed('TargetGroupNotFoundException', async () => {
        const command = new DescribeTargetGroupsCommand({ Names: [name] });
        const [group] = groupsIn((await client.send(command, until(signal))).TargetGroups);
        return group;
      }),
    /** Reads the health of the targets of a group (API_DescribeTargetHealth). */
    targetHealth: async (
      TargetGroupArn: string,
      signal?: AbortSignal,
    ): Promise<readonly TargetHealthDescription[]> => {
      const found = await client.send(new DescribeTargetHealthCommand({ TargetGroupArn }), until(signal));
      return listed(found.TargetHealthDescriptions, `the health of the targets of ${TargetGroupArn}`);
    },
    /** Reads the attributes of a target group (API_DescribeTargetGroupAttributes). */
    attributesOf: async (TargetGroupArn: string, signal?: AbortSignal): Promise<Tags> => {
      const command = new DescribeTargetGroupAttributesCommand({ TargetGroupArn });
      const { Attributes } = await client.send(command, until(signal));
      return recordOf(listed(Attributes, `the attributes of ${TargetGroupArn}`));
    },
  };
}

/** Calls AWS; undefined when it answers with the error of this name. */
export const unlessNamed = <Found>(name: string, call: () => Promise<Found>): Promise<Found | undefined> =>
  undefinedOn((error) => error instanceof Error && error.name === name, call());

// API_DescribeTags takes up to 20 resources; API_DescribeTargetGroups names no limit.
const MOST_PER_CALL = 20;

const chunksOf = (arns: readonly string[]): readonly string[][] =>
  Array.from({ length: Math.ceil(arns.length / MOST_PER_CALL) }, (_, index) =>
    arns.slice(index * MOST_PER_CALL, (index + 1) * MOST_PER_CALL),
  );

// One that is not known fails the call for all, so those that fail are asked for by halves.
async function knownOf<Found>(
  arns: readonly string[],
  ask: (arns: readonly string[]) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const found = await unlessNamed('TargetGroupNotFoundException', () => ask(arns));
  if (found !== undefined) return found;
  if (arns.length <= 1) return [];
  const half = Math.ceil(arns.length / 2);
  const halves = [arns.slice(0, half), arns.slice(half)].map((some) => knownOf(some, ask));
  return (await Promise.all(halves)).flat();
}

// One that a later page has must not pass for one that AWS does not know.
const groupPages = (
  client: ElasticLoadBalancingV2Client,
  arns: readonly string[],
  signal?: AbortSignal,
): Promise<readonly TargetGroup[]> =>
  readPages({
    service: 'ELBv2',
    of: 'target groups',
    page: async (Marker) => {
      const input = { TargetGroupArns: [...arns], ...given({ Marker }) };
      const answer = await client.send(new DescribeTargetGroupsCommand(input), until(signal));
      return { items: groupsIn(answer.TargetGroups), next: answer.NextMarker };
    },
  });

/** The list in an answer; throws without one: the page of a proxy must not pass for a group without targets. */
function listed<Item>(list: readonly Item[] | undefined, what: string): readonly Item[] {
  if (list !== undefined) return list;
  throw new Error(`cannot read the answer of ELBv2: ${what} not found in it.`);
}

const groupsIn = (groups: readonly TargetGroup[] | undefined): readonly TargetGroup[] =>
  listed(groups, 'target groups').map((group) => {
    const users = listed(
      group.LoadBalancerArns,
      `the load balancers of ${group.TargetGroupArn ?? 'a group'}`,
    );
    return { ...group, LoadBalancerArns: [...users] };
  });

const actionsOf = (actions: readonly Action[] | undefined): Action[] => [...listed(actions, 'actions')];

const until = (signal: AbortSignal | undefined) => given({ abortSignal: signal });

const recordOf = (
  pairs: readonly { Key?: string | undefined; Value?: string | undefined }[],
): Record<string, string> => Object.fromEntries(pairs.map(({ Key = '', Value = '' }) => [Key, Value]));

const rulesIn = (
  client: ElasticLoadBalancingV2Client,
  input: { ListenerArn: string } | { RuleArns: string[] },
  signal?: AbortSignal,
): Promise<Rule[]> =>
  readPages({
    service: 'ELBv2',
    of: 'rules',
    page: async (Marker) => {
      const command = new DescribeRulesCommand({ ...input, ...given({ Marker }) });
      const { Rules, NextMarker } = await client.send(command, until(signal));
      const items = listed(Rules, 'rules').map((rule) => ({ ...rule, Actions: actionsOf(rule.Actions) }));
      return { items, next: NextMarker };
    },
  });
