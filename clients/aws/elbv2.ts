import {
  ElasticLoadBalancingV2Client,
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
  type Action,
  type CreateRuleCommandInput,
  type CreateTargetGroupCommandInput,
  type ModifyRuleCommandInput,
  type ModifyTargetGroupCommandInput,
  type Rule,
  type TargetDescription,
  type TargetGroup,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { newest } from '../concurrency.ts';
import { clientSettings, requestHandlerOf, type ClientOptions } from './aws-credentials.ts';
import { PacedHandler, type ReadPace } from './elbv2-pace.ts';
import { elbv2Reads, unlessNamed, type ELBv2Reads } from './elbv2-reads.ts';
import { counting, MOST_REGIONS } from './request-count.ts';

/** A target as ELBv2 knows it. */
export interface Target {
  readonly id: string;
  readonly port: number;
}

/** What may be changed of a target group that exists. */
export type HealthCheckInput = Omit<ModifyTargetGroupCommandInput, 'TargetGroupArn'>;

/** Writes to ELBv2; each is tried once, so that the caller decides on another attempt. */
export type ELBv2Writes = ReturnType<typeof elbv2Writes>;

/** What of ELBv2 Okra calls. */
export interface ELBv2 extends ELBv2Reads, ELBv2Writes {}

function elbv2Writes(client: ElasticLoadBalancingV2Client) {
  return {
    /** Has credentials at hand, so that the next write does not wait for them. */
    ready: async (): Promise<void> => void (await client.config.credentials()),
    /** Creates a rule; not idempotent (API_CreateRule). */
    createRule: async (input: CreateRuleCommandInput): Promise<Rule> => {
      const created = (await client.send(new CreateRuleCommand(input))).Rules?.[0];
      if (created === undefined) throw new Error('the answer to CreateRule has no rule');
      return created;
    },
    /** Changes a rule, and answers with what it is then (API_ModifyRule). */
    modifyRule: async (input: ModifyRuleCommandInput & { RuleArn: string }): Promise<Rule | undefined> =>
      (await client.send(new ModifyRuleCommand(input))).Rules?.[0],
    /** Moves a rule to another priority (API_SetRulePriorities). */
    setPriority: async (RuleArn: string, Priority: number): Promise<void> =>
      void (await client.send(new SetRulePrioritiesCommand({ RulePriorities: [{ RuleArn, Priority }] }))),
    /** Deletes a rule; one that is gone is left as it is (API_DeleteRule). */
    deleteRule: async (RuleArn: string): Promise<void> =>
      void (await unlessNamed('RuleNotFoundException', () =>
        client.send(new DeleteRuleCommand({ RuleArn })),
      )),
    /** Sets the default action of a listener (API_ModifyListener). */
    setDefaultAction: async (ListenerArn: string, action: Action): Promise<void> =>
      void (await client.send(new ModifyListenerCommand({ ListenerArn, DefaultActions: [action] }))),
    /** Tags a rule or a listener (API_AddTags). */
    tag: async (arn: string, tags: Pairs): Promise<void> =>
      void (await client.send(new AddTagsCommand({ ResourceArns: [arn], Tags: pairsOf(tags) }))),
    /** Sets attributes of a target group (API_ModifyTargetGroupAttributes). */
    setAttributes: async (TargetGroupArn: string, attributes: Pairs): Promise<void> =>
      void (await client.send(
        new ModifyTargetGroupAttributesCommand({ TargetGroupArn, Attributes: pairsOf(attributes) }),
      )),
    /** Creates a target group, with its tags in the same call (API_CreateTargetGroup). */
    createTargetGroup: async ({
      tags,
      ...input
    }: Omit<CreateTargetGroupCommandInput, 'Tags'> & { readonly tags: Pairs }): Promise<TargetGroup> => {
      const command = new CreateTargetGroupCommand({ ...input, Tags: pairsOf(tags) });
      const created = (await client.send(command)).TargetGroups?.[0];
      if (created === undefined) throw new Error('the answer to CreateTargetGroup has no target group');
      return created;
    },
    /** Changes the health check of a target group (API_ModifyTargetGroup). */
    modifyTargetGroup: async (TargetGroupArn: string, healthCheck: HealthCheckInput): Promise<void> =>
      void (await client.send(new ModifyTargetGroupCommand({ ...healthCheck, TargetGroupArn }))),
    /** Deletes a target group; one that is gone is left as it is (API_DeleteTargetGroup). */
    deleteTargetGroup: async (TargetGroupArn: string): Promise<void> =>
      void (await unlessNamed('TargetGroupNotFoundException', () =>
        client.send(new DeleteTargetGroupCommand({ TargetGroupArn })),
      )),
    /** Registers targets; those that are registered stay so (API_RegisterTargets). */
    registerTargets: async (TargetGroupArn: string, targets: readonly Target[]): Promise<void> =>
      void (await client.send(
        new RegisterTargetsCommand({ TargetGroupArn, Targets: descriptionsOf(targets) }),
      )),
    /** Deregisters targets; those that are not registered are left as they are (API_DeregisterTargets). */
    deregisterTargets: async (TargetGroupArn: string, targets: readonly Target[]): Promise<void> =>
      void (await client.send(
        new DeregisterTargetsCommand({ TargetGroupArn, Targets: descriptionsOf(targets) }),
      )),
  };
}

type Pairs = Readonly<Record<string, string>>;

const pairsOf = (record: Pairs): { Key: string; Value: string }[] =>
  Object.entries(record).map(([Key, Value]) => ({ Key, Value }));

const descriptionsOf = (targets: readonly Target[]): TargetDescription[] =>
  targets.map(({ id: Id, port: Port }) => ({ Id, Port }));

interface ELBv2Options extends ClientOptions {
  /** How fast it is read; undefined: as fast as it answers. */
  readonly pace?: ReadPace;
}

/** Gives the ELBv2 of the region that an ARN is in, or of a region by its name. */
export interface ELBv2Regions {
  (arn: string): ELBv2;
  inRegion(region: string): ELBv2;
}

/** Makes the ELBv2 of every region; one client per region. */
export function connectELBv2(options: ELBv2Options = {}): ELBv2Regions {
  const kept = newest<ELBv2>(MOST_REGIONS);
  const inRegion = (region: string): ELBv2 => kept(region, () => makeELBv2(region, options));
  return Object.assign((arn: string) => inRegion(regionOf(arn)), { inRegion });
}

/** The region in an ARN, whose API calls AWS counts together: `arn:partition:service:region:account:resource`. */
export function regionOf(arn: string): string {
  const region = arn.split(':')[3];
  if (region === undefined || region === '')
    throw new RangeError(`invalid ARN ${arn}: must name a region. Correct the ARN.`);
  return region;
}

function makeELBv2(region: string, { pace, ...options }: ELBv2Options): ELBv2 {
  const settings = clientSettings({ region }, options);
  const handler = requestHandlerOf(options.requestTimeoutMs);
  const paced =
    pace === undefined ? {} : { requestHandler: new PacedHandler(handler, (signal) => pace(region, signal)) };
  const reads = new ElasticLoadBalancingV2Client({ ...settings, ...paced, maxAttempts: 3 });
  const writes = new ElasticLoadBalancingV2Client({ ...settings, maxAttempts: 1 });
  const seen = (client: ElasticLoadBalancingV2Client) => counting(client, region, options.tell);
  return { ...elbv2Reads(seen(reads)), ...elbv2Writes(seen(writes)) };
}
