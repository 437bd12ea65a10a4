import {
  AddTagsCommand,
  CreateRuleCommand,
  CreateTargetGroupCommand,
  DeleteRuleCommand,
  DeleteTargetGroupCommand,
  DeregisterTargetsCommand,
  ModifyListenerCommand,
  ModifyRuleCommand,
  ModifyTargetGroupAttributesCommand,
  ModifyTargetGroupCommand,
  RegisterTargetsCommand,
  SetRulePrioritiesCommand,
  type ElasticLoadBalancingV2Client,
  type TargetDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ELBv2Writes, Target } from './elbv2-calls.ts';

/** Makes the writes, which nobody repeats but the caller. */
export function elbv2Writes(client: ElasticLoadBalancingV2Client): ELBv2Writes {
  return {
    ready: async () => void (await client.config.credentials()),
    createRule: async (input) => {
      const created = (await client.send(new CreateRuleCommand(input))).Rules?.[0];
      if (created === undefined) throw new Error('Expected CreateRule to answer with the rule, got none.');
      return created;
    },
    modifyRule: async (input) => (await client.send(new ModifyRuleCommand(input))).Rules?.[0],
    setPriority: async (RuleArn, Priority) => {
      await client.send(new SetRulePrioritiesCommand({ RulePriorities: [{ RuleArn, Priority }] }));
    },
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
    createTargetGroup: async ({ tags, ...input }) => {
      const command = new CreateTargetGroupCommand({ ...input, Tags: pairsOf(tags) });
      const created = (await client.send(command)).TargetGroups?.[0];
      if (created === undefined) {
        throw new Error('Expected CreateTargetGroup to answer with the target group, got none.');
      }
      return created;
    },
    modifyTargetGroup: async (TargetGroupArn, healthCheck) =>
      void (await client.send(new ModifyTargetGroupCommand({ ...healthCheck, TargetGroupArn }))),
    deleteTargetGroup: async (TargetGroupArn) => {
      try {
        await client.send(new DeleteTargetGroupCommand({ TargetGroupArn }));
      } catch (error) {
        if (!(error instanceof Error && error.name === 'TargetGroupNotFoundException')) throw error;
      }
    },
    registerTargets: async (TargetGroupArn, targets) =>
      void (await client.send(
        new RegisterTargetsCommand({ TargetGroupArn, Targets: descriptionsOf(targets) }),
      )),
    deregisterTargets: async (TargetGroupArn, targets) =>
      void (await client.send(
        new DeregisterTargetsCommand({ TargetGroupArn, Targets: descriptionsOf(targets) }),
      )),
  };
}

const pairsOf = (record: Readonly<Record<string, string>>): { Key: string; Value: string }[] =>
  Object.entries(record).map(([Key, Value]) => ({ Key, Value }));

const descriptionsOf = (targets: readonly Target[]): TargetDescription[] =>
  targets.map(({ id: Id, port: Port }) => ({ Id, Port }));
