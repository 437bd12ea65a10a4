import {
  DescribeListenersCommand,
  DescribeRulesCommand,
  DescribeTagsCommand,
  DescribeTargetGroupAttributesCommand,
  DescribeTargetGroupsCommand,
  DescribeTargetHealthCommand,
  ListenerNotFoundException,
  type ElasticLoadBalancingV2Client,
  type Rule,
  type TargetGroup,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ELBv2Reads } from './elbv2.ts';

/** Makes the reads, which the client repeats when they fail. */
export function elbv2Reads(client: ElasticLoadBalancingV2Client): ELBv2Reads {
  let anyGroup: string | undefined;
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
      const listener = (await client.send(command, until(signal))).Listeners?.[0];
      if (listener !== undefined) return listener;
      throw new ListenerNotFoundException({ message: `${listenerARN} was not found`, $metadata: {} });
    },
    tagsOf: async (arn, signal) => {
      const found = await client.send(new DescribeTagsCommand({ ResourceArns: [arn] }), until(signal));
      return recordOf(found.TagDescriptions?.[0]?.Tags ?? []);
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
        return (await client.send(command, until(signal))).TagDescriptions ?? [];
      });
      return new Map(found.map(({ ResourceArn = '', Tags = [] }) => [ResourceArn, recordOf(Tags)]));
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
        return (await client.send(command, until(signal))).TargetGroups?.[0];
      } catch (error) {
        if (error instanceof Error && error.name === 'TargetGroupNotFoundException') return undefined;
        throw error;
      }
    },
    anyTargetGroup: async (signal) => {
      anyGroup ??= (await client.send(ANY_GROUP, until(signal))).TargetGroups?.[0]?.TargetGroupArn;
      return anyGroup;
    },
    targetHealth: async (TargetGroupArn, signal) => {
      const found = await client.send(new DescribeTargetHealthCommand({ TargetGroupArn }), until(signal));
      return found.TargetHealthDescriptions ?? [];
    },
    attributesOf: async (TargetGroupArn, signal) => {
      const command = new DescribeTargetGroupAttributesCommand({ TargetGroupArn });
      return recordOf((await client.send(command, until(signal))).Attributes ?? []);
    },
  };
}

// API_DescribeTags: up to 20 resources in a single call.
const TAGS_PER_CALL = 20;

const ANY_GROUP = new DescribeTargetGroupsCommand({ PageSize: 1 });

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
  const found: TargetGroup[] = [];
  let marker: string | undefined;
  do {
    const input = { TargetGroupArns: [...arns], ...(marker === undefined ? {} : { Marker: marker }) };
    const page = await client.send(new DescribeTargetGroupsCommand(input), until(signal));
    found.push(...(page.TargetGroups ?? []));
    marker = page.NextMarker === '' ? undefined : page.NextMarker;
  } while (marker !== undefined);
  return found;
}

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
  const rules: Rule[] = [];
  let marker: string | undefined;
  do {
    const page = await client.send(
      new DescribeRulesCommand({ ...input, ...(marker === undefined ? {} : { Marker: marker }) }),
      until(signal),
    );
    rules.push(...(page.Rules ?? []));
    marker = page.NextMarker === '' ? undefined : page.NextMarker;
  } while (marker !== undefined);
  return rules;
}
