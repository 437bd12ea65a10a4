import type { ELBv2Reads, ELBv2Writes, Target } from './elbv2-calls.ts';
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
  type TargetDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { credentialsFor, requestHandlerOf, type AwsCredentials } from './aws-credentials.ts';
import { PacedHandler, type ReadPace } from './elbv2-pace.ts';
import { counting, MOST_REGIONS, type TellRequests } from './request-count.ts';
import { elbv2Reads } from './elbv2-reads.ts';
import { newest } from '../concurrency.ts';

/** Makes the writes, which nobody repeats but the caller. */
function elbv2Writes(client: ElasticLoadBalancingV2Client): ELBv2Writes {
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

/** What of ELBv2 Okra calls. */
export interface ELBv2 extends ELBv2Reads, ELBv2Writes {}

/** How ELBv2 is reached. */
interface ELBv2Options {
  /** The address of an emulator or a VPC endpoint; undefined for AWS' own. */
  readonly endpoint?: string | undefined;
  /** Okra's own identity; undefined: what the AWS SDK finds. */
  readonly credentials?: AwsCredentials | undefined;
  /** How long one request may take, in milliseconds. */
  readonly requestTimeoutMs?: number;
  /** How fast it is read; undefined: as fast as it answers. */
  readonly pace?: ReadPace;
  /** Who is told of requests. */
  readonly tell?: TellRequests | undefined;
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
  if (region === undefined || region === '') {
    throw new RangeError(`Expected an ARN with a region, got ${arn}. Correct the ARN.`);
  }
  return region;
}

function makeELBv2(region: string, options: ELBv2Options): ELBv2 {
  const common = {
    region,
    credentials: credentialsFor({ region }, options),
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    requestHandler: requestHandlerOf(options.requestTimeoutMs),
  };
  const { pace } = options;
  const paced =
    pace === undefined
      ? {}
      : { requestHandler: new PacedHandler(common.requestHandler, (signal) => pace(region, signal)) };
  const reads = new ElasticLoadBalancingV2Client({ ...common, ...paced, maxAttempts: 3 });
  const writes = new ElasticLoadBalancingV2Client({ ...common, maxAttempts: 1 });
  const seen = (client: ElasticLoadBalancingV2Client) => counting(client, region, options.tell);
  return { ...elbv2Reads(seen(reads)), ...elbv2Writes(seen(writes)) };
}
