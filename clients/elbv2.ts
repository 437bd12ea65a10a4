import {
  AddTagsCommand,
  CreateRuleCommand,
  DescribeRulesCommand,
  DescribeTagsCommand,
  DescribeTargetHealthCommand,
  ElasticLoadBalancingV2Client,
  ModifyRuleCommand,
  SetRulePrioritiesCommand,
  type CreateRuleCommandInput,
  type ModifyRuleCommandInput,
  type Rule,
  type TargetHealthDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2';

/** What of ELBv2 Okra calls. Errors are those of the AWS SDK, under the names that the AWS documentation lists. */
export interface ELBv2 {
  /** Reads all rules of a listener, page by page (API_DescribeRules). */
  rulesOf(listenerARN: string, signal?: AbortSignal): Promise<readonly Rule[]>;
  /** Reads one rule; undefined when there is none (API_DescribeRules). */
  rule(ruleARN: string, signal?: AbortSignal): Promise<Rule | undefined>;
  /** Reads the tags of a rule (API_DescribeTags). */
  tagsOf(ruleARN: string, signal?: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Reads the health of the targets of a group (API_DescribeTargetHealth). */
  targetHealth(targetGroupARN: string, signal?: AbortSignal): Promise<readonly TargetHealthDescription[]>;
  /** Creates a rule; not idempotent, and therefore tried once (API_CreateRule). */
  createRule(input: CreateRuleCommandInput): Promise<Rule>;
  /** Changes a rule; tried once, so that the caller decides on another attempt (API_ModifyRule). */
  modifyRule(input: ModifyRuleCommandInput & { RuleArn: string }): Promise<void>;
  /** Moves a rule to another priority (API_SetRulePriorities). */
  setPriority(ruleARN: string, priority: number): Promise<void>;
  /** Tags a rule (API_AddTags). */
  tag(ruleARN: string, tags: Readonly<Record<string, string>>): Promise<void>;
}

/** How ELBv2 is reached. */
export interface ELBv2Options {
  /** The address of an emulator or a VPC endpoint; undefined for AWS' own. */
  readonly endpoint?: string | undefined;
  /** How long one request may take, in milliseconds. */
  readonly requestTimeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 5_000;

/** Makes the ELBv2 of the region that an ARN is in; one client per region. */
export function connectELBv2(options: ELBv2Options = {}): (arn: string) => ELBv2 {
  const byRegion = new Map<string, ELBv2>();
  return (arn) => {
    const region = regionOf(arn);
    const known = byRegion.get(region) ?? makeELBv2(region, options);
    byRegion.set(region, known);
    return known;
  };
}

/** The region in an ARN: `arn:partition:service:region:account:resource`. */
export function regionOf(arn: string): string {
  const region = arn.split(':')[3];
  if (region === undefined || region === '') {
    throw new RangeError(`Expected an ARN with a region, got ${arn}. Correct the ARN.`);
  }
  return region;
}

/** The account and region in an ARN, which together have one quota of API calls. */
export const quotaOf = (arn: string): string => arn.split(':').slice(3, 5).join('/');

function makeELBv2(region: string, { endpoint, requestTimeoutMs = REQUEST_TIMEOUT_MS }: ELBv2Options): ELBv2 {
  const common = {
    region,
    ...(endpoint === undefined ? {} : { endpoint }),
    requestHandler: {
      requestTimeout: requestTimeoutMs,
      connectionTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
    },
  };
  const reads = new ElasticLoadBalancingV2Client({ ...common, maxAttempts: 3 });
  const writes = new ElasticLoadBalancingV2Client({ ...common, maxAttempts: 1 });
  return { ...readers(reads), ...writers(writes) };
}

function readers(
  client: ElasticLoadBalancingV2Client,
): Pick<ELBv2, 'rulesOf' | 'rule' | 'tagsOf' | 'targetHealth'> {
  const pages = async (
    input: { ListenerArn: string } | { RuleArns: string[] },
    abortSignal?: AbortSignal,
  ): Promise<Rule[]> => {
    const rules: Rule[] = [];
    let marker: string | undefined;
    do {
      const page = await client.send(
        new DescribeRulesCommand({ ...input, ...(marker === undefined ? {} : { Marker: marker }) }),
        abortSignal === undefined ? {} : { abortSignal },
      );
      rules.push(...(page.Rules ?? []));
      marker = page.NextMarker === '' ? undefined : page.NextMarker;
    } while (marker !== undefined);
    return rules;
  };
  return {
    rulesOf: (ListenerArn, signal) => pages({ ListenerArn }, signal),
    rule: async (ruleARN, signal) => {
      try {
        return (await pages({ RuleArns: [ruleARN] }, signal))[0];
      } catch (error) {
        if (error instanceof Error && error.name === 'RuleNotFoundException') return undefined;
        throw error;
      }
    },
    tagsOf: async (ruleARN, signal) => {
      const found = await client.send(
        new DescribeTagsCommand({ ResourceArns: [ruleARN] }),
        signal === undefined ? {} : { abortSignal: signal },
      );
      const tags = found.TagDescriptions?.[0]?.Tags ?? [];
      return Object.fromEntries(tags.map((tag) => [tag.Key ?? '', tag.Value ?? '']));
    },
    targetHealth: async (TargetGroupArn, signal) => {
      const found = await client.send(
        new DescribeTargetHealthCommand({ TargetGroupArn }),
        signal === undefined ? {} : { abortSignal: signal },
      );
      return found.TargetHealthDescriptions ?? [];
    },
  };
}

function writers(
  client: ElasticLoadBalancingV2Client,
): Pick<ELBv2, 'createRule' | 'modifyRule' | 'setPriority' | 'tag'> {
  return {
    createRule: async (input) => {
      const created = (await client.send(new CreateRuleCommand(input))).Rules?.[0];
      if (created === undefined) throw new Error('Expected CreateRule to answer with the rule, got none.');
      return created;
    },
    modifyRule: async (input) => void (await client.send(new ModifyRuleCommand(input))),
    setPriority: async (RuleArn, Priority) =>
      void (await client.send(new SetRulePrioritiesCommand({ RulePriorities: [{ RuleArn, Priority }] }))),
    tag: async (ruleARN, tags) =>
      void (await client.send(
        new AddTagsCommand({
          ResourceArns: [ruleARN],
          Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
        }),
      )),
  };
}
