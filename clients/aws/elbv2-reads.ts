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
  type TargetGroup,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { readPages, type AwsPage } from './aws-pages.ts';
import type { ELBv2Reads } from './elbv2-calls.ts';

/** Makes the reads, which the client repeats when they fail. */
export function elbv2Reads(client: ElasticLoadBalancingV2Client): ELBv2Reads {
  return {
    rulesOf: (ListenerArn, signal) => rulesIn(client, { ListenerArn }, signal),
    rule: async (ruleARN, signal) => {
      try {
        return (await rulesIn(client, { RuleArns: [ruleARN] }, signal))[0];
      } catch (error) {
        if (error instanceof Error && error.name === 'RuleNotFoundException') return undefined;
        throw error;
      }
    },
    listener: async (listenerARN, signal) => {
      const command = new DescribeListenersCommand({ ListenerArns: [listenerARN] });
      const [listener] = listed((await client.send(command, until(signal))).Listeners, 'listeners');
      if (listener !== undefined) return { ...listener, DefaultActions: actionsOf(listener.DefaultActions) };
      throw new ListenerNotFoundException({ message: `${listenerARN} was not found`, $metadata: {} });
    },
    loadBalancer: async (arn, signal) => {
      const command = new DescribeLoadBalancersCommand({ LoadBalancerArns: [arn] });
      const found = await client.send(command, until(signal));
      const [loadBalancer] = listed(found.LoadBalancers, 'load balancers');
      if (loadBalancer !== undefined) return loadBalancer;
      throw new LoadBalancerNotFoundException({ message: `${arn} was not found`, $metadata: {} });
    },
    loadBalancerAttributes: async (LoadBalancerArn, signal) => {
      const command = new DescribeLoadBalancerAttributesCommand({ LoadBalancerArn });
      const found = await client.send(command, until(signal));
      return recordOf(listed(found.Attributes, `the attributes of ${LoadBalancerArn}`));
    },
    tagsOf: async (arn, signal) => {
      const found = await client.send(new DescribeTagsCommand({ ResourceArns: [arn] }), until(signal));
      const [description] = listed(found.TagDescriptions, 'tags');
      return recordOf(listed(description?.Tags, `the tags of ${arn}`));
    },
    tagsOfAll: async (arns, signal) => {
      const tags = new Map<string, Readonly<Record<string, string>>>();
      for (let begin = 0; begin < arns.length; begin += TAGS_PER_CALL) {
        const command = new DescribeTagsCommand({ ResourceArns: arns.slice(begin, begin + TAGS_PER_CALL) });
        const { TagDescriptions = [] } = await client.send(command, until(signal));
        for (const { ResourceArn = '', Tags = [] } of TagDescriptions) tags.set(ResourceArn, recordOf(Tags));
      }
      return tags;
    },
    tagsOfGroups: async (arns, signal) => {
      const found = await knownOf(arns, async (some) => {
        const command = new DescribeTagsCommand({ ResourceArns: [...some] });
        return listed((await client.send(command, until(signal))).TagDescriptions, 'tags');
      });
      return new Map(
        found.map(({ ResourceArn = '', Tags }) => [
          ResourceArn,
          recordOf(listed(Tags, `the tags of ${ResourceArn}`)),
        ]),
      );
    },
    targetGroups: async (arns, signal) => {
      const found: TargetGroup[] = [];
      for (let begin = 0; begin < arns.length; begin += GROUPS_PER_CALL) {
        const some = arns.slice(begin, begin + GROUPS_PER_CALL);
        found.push(...(await knownOf(some, (these) => groupPages(client, these, signal))));
      }
      return found;
    },
    targetGroupNamed: async (name, signal) => {
      try {
        const command = new DescribeTargetGroupsCommand({ Names: [name] });
        const [group] = groupsIn((await client.send(command, until(signal))).TargetGroups);
        return group;
      } catch (error) {
        if (error instanceof Error && error.name === 'TargetGroupNotFoundException') return undefined;
        throw error;
      }
    },
    targetHealth: async (TargetGroupArn, signal) => {
      const found = await client.send(new DescribeTargetHealthCommand({ TargetGroupArn }), until(signal));
      return listed(found.TargetHealthDescriptions, `the health of the targets of ${TargetGroupArn}`);
    },
    attributesOf: async (TargetGroupArn, signal) => {
      const command = new DescribeTargetGroupAttributesCommand({ TargetGroupArn });
      const { Attributes } = await client.send(command, until(signal));
      return recordOf(listed(Attributes, `the attributes of ${TargetGroupArn}`));
    },
  };
}

// API_DescribeTags: up to 20 resources in a single call.
const TAGS_PER_CALL = 20;

// The reference names no limit; 20 is that of calls beside it (API_DescribeTags).
const GROUPS_PER_CALL = 20;

// One that is not known fails the call for all, so those that fail are asked for by halves.
async function knownOf<Found>(
  arns: readonly string[],
  ask: (arns: readonly string[]) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  try {
    return await ask(arns);
  } catch (error) {
    if (!(error instanceof Error && error.name === 'TargetGroupNotFoundException')) throw error;
    if (arns.length <= 1) return [];
    const half = Math.ceil(arns.length / 2);
    const halves = [arns.slice(0, half), arns.slice(half)].map((some) => knownOf(some, ask));
    return (await Promise.all(halves)).flat();
  }
}

// One that a later page has must not pass for one that AWS does not know.
async function groupPages(
  client: ElasticLoadBalancingV2Client,
  arns: readonly string[],
  signal?: AbortSignal,
): Promise<readonly TargetGroup[]> {
  const page = async (marker: string | undefined): Promise<AwsPage<TargetGroup>> => {
    const input = { TargetGroupArns: [...arns], ...(marker === undefined ? {} : { Marker: marker }) };
    const answer = await client.send(new DescribeTargetGroupsCommand(input), until(signal));
    return { items: groupsIn(answer.TargetGroups), next: answer.NextMarker };
  };
  return await readPages({ service: 'ELBv2', of: 'target groups', page });
}

/**
 * The list in an answer. AWS writes one of nothing as well, while the page of a proxy, or half an answer, has none: that
 * must not pass for a group without targets, or a rule that authenticates nobody.
 */
function listed<Item>(list: readonly Item[] | undefined, what: string): readonly Item[] {
  if (list !== undefined) return list;
  throw new Error(`Expected ELBv2 to answer with ${what}, got an answer without.`);
}

/** Target groups that say which load balancers use them. */
const groupsIn = (groups: readonly TargetGroup[] | undefined): readonly TargetGroup[] =>
  listed(groups, 'target groups').map((group) => {
    const users = listed(
      group.LoadBalancerArns,
      `the load balancers of ${group.TargetGroupArn ?? 'a group'}`,
    );
    return { ...group, LoadBalancerArns: [...users] };
  });

const actionsOf = (actions: readonly Action[] | undefined): Action[] => [...listed(actions, 'actions')];

const until = (signal: AbortSignal | undefined): { abortSignal?: AbortSignal } =>
  signal === undefined ? {} : { abortSignal: signal };

const recordOf = (
  pairs: readonly { Key?: string | undefined; Value?: string | undefined }[],
): Record<string, string> => Object.fromEntries(pairs.map(({ Key = '', Value = '' }) => [Key, Value]));

async function rulesIn(
  client: ElasticLoadBalancingV2Client,
  input: { ListenerArn: string } | { RuleArns: string[] },
  signal?: AbortSignal,
): Promise<Rule[]> {
  const page = async (marker: string | undefined): Promise<AwsPage<Rule>> => {
    const command = new DescribeRulesCommand({
      ...input,
      ...(marker === undefined ? {} : { Marker: marker }),
    });
    const { Rules, NextMarker } = await client.send(command, until(signal));
    const items = listed(Rules, 'rules').map((rule) => ({ ...rule, Actions: actionsOf(rule.Actions) }));
    return { items, next: NextMarker };
  };
  return await readPages({ service: 'ELBv2', of: 'rules', page });
}
