import {
  AddTagsCommand,
  CreateRuleCommand,
  DeleteRuleCommand,
  ModifyListenerCommand,
  ModifyRuleCommand,
  ModifyTargetGroupAttributesCommand,
  SetRulePrioritiesCommand,
  type ElasticLoadBalancingV2Client,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ELBv2Writes } from './elbv2.ts';

/** Makes the writes, which nobody repeats but the caller. */
export function elbv2Writes(client: ElasticLoadBalancingV2Client): ELBv2Writes {
  return {
    createRule: async (input) => {
      const created = (await client.send(new CreateRuleCommand(input))).Rules?.[0];
      if (created === undefined) throw new Error('Expected CreateRule to answer with the rule, got none.');
      return created;
    },
    modifyRule: async (input) => void (await client.send(new ModifyRuleCommand(input))),
    setPriority: async (RuleArn, Priority) =>
      void (await client.send(new SetRulePrioritiesCommand({ RulePriorities: [{ RuleArn, Priority }] }))),
    deleteRule: async (RuleArn) => {
      try {
        await client.send(new DeleteRuleCommand({ RuleArn }));
      } catch (error) {
        if (!(error instanceof Error && error.name === 'RuleNotFoundException')) throw error;
      }
    },
    setDefaultAction: async (ListenerArn, action) =>
      void (await client.send(new ModifyListenerCommand({ ListenerArn, DefaultActions: [action] }))),
    tag: async (arn, tags) =>
      void (await client.send(new AddTagsCommand({ ResourceArns: [arn], Tags: pairsOf(tags) }))),
    setAttributes: async (TargetGroupArn, attributes) =>
      void (await client.send(
        new ModifyTargetGroupAttributesCommand({ TargetGroupArn, Attributes: pairsOf(attributes) }),
      )),
  };
}

const pairsOf = (record: Readonly<Record<string, string>>): { Key: string; Value: string }[] =>
  Object.entries(record).map(([Key, Value]) => ({ Key, Value }));
