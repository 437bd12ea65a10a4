import type { Action, Listener, Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import { keepsClients, type ObservedForwarding } from '../../../domain/load-balancers/load-balancer.ts';
import type {
  NetworkForward,
  NetworkStickiness,
} from '../../../domain/load-balancers/network-load-balancer/network-load-balancer.ts';
import { given } from '../../../domain/model/fields.ts';
import type { WeightedTargetGroup, TargetGroup } from '../../../domain/model/target-group.ts';
import { includes, sameShares } from '../../../domain/load-balancers/weights.ts';
import { failure, unlessError } from '../../failure.ts';
import { forwardedBy, singleAsDesired, toTuples } from '../forward.ts';

type Network = 'AWSNetworkLoadBalancer';

/** The default action of a listener in Okra's words; names come from what is wanted. */
export const shownBy = (
  { DefaultActions }: Listener,
  { targetGroups }: { readonly targetGroups: readonly WeightedTargetGroup[] },
): NetworkForward => ({
  targetGroups: singleAsDesired(forwardedBy(DefaultActions, targetGroups), targetGroups),
  ...stickinessIn(DefaultActions),
});

/** Whether a listener forwards to none but these groups. */
export const forwardsOnlyTo = (groups: readonly TargetGroup[], { DefaultActions }: Listener): boolean =>
  forwardedBy(DefaultActions, []).every((group) => includes(groups, group));

function stickinessIn(actions: readonly Action[] = []): Pick<NetworkForward, 'targetGroupStickiness'> {
  const config = actions.find((one) => one.Type === 'forward')?.ForwardConfig?.TargetGroupStickinessConfig;
  if (config?.Enabled === undefined) return {};
  const { Enabled: enabled, DurationSeconds: durationSeconds } = config;
  return { targetGroupStickiness: given({ enabled, durationSeconds }) };
}

/** The default action as ELBv2 takes it; without a word on stickiness it would be turned off. */
export const toDefaultAction = (
  targetGroups: readonly WeightedTargetGroup[],
  sticky: NetworkStickiness | undefined,
): Action => ({
  Type: 'forward',
  ForwardConfig: {
    TargetGroups: toTuples(targetGroups),
    ...(sticky && {
      TargetGroupStickinessConfig: { Enabled: sticky.enabled, DurationSeconds: sticky.durationSeconds },
    }),
  },
});

/** Refuses to weigh where a rule takes flows past the weights, which would then be said of traffic that they do not reach. */
export async function refuseBypass(elbv2: ELBv2, listenerARN: string, signal: AbortSignal): Promise<void> {
  const rules = await elbv2.rulesOf(listenerARN, signal);
  if (rules.length === 0) return;
  throw failure(
    'Conflict',
    `Listener ${listenerARN} must have no rule besides its default action, whose weights apply to all flows; it has ${rules.map(describeRule).join(' and ')}. Delete the rule, or move its flows to another listener.`,
  );
}

/** A rule for people: `rule 10 (source-ip ipv6 → web6, arn:…)`. */
function describeRule({ Priority = '', Conditions = [], Actions, RuleArn = '' }: Rule): string {
  const matches = Conditions.map(({ Field = '', SourceIpConfig: source, Values: plain = [] }) =>
    [Field, source?.IpAddressType, ...(source?.Values ?? plain)]
      .filter((text) => text !== undefined)
      .join(' '),
  );
  const groups = forwardedBy(Actions, []).map(({ name }) => name);
  return `rule ${Priority} (${matches.join(', ')} → ${groups.join(', ')}, ${RuleArn})`;
}

interface Present {
  readonly listener: Listener;
  readonly rules: readonly Rule[];
}

/** Says for people how a listener does something else than was read last; undefined when it does the same. */
export function listenerDifferenceOf(
  served: ObservedForwarding<Network>,
  { listener, rules }: Present,
): string | undefined {
  const got = shownBy(listener, served.listener.forward);
  const said = [
    sameShares(served.listener.forward.targetGroups, got.targetGroups)
      ? []
      : ['The default action differs in its weights.'],
    keepsClients(served) === (got.targetGroupStickiness?.enabled === true)
      ? []
      : ['The default action differs in how it keeps clients.'],
    rules.map((rule) => `Flows are taken past the weights by ${describeRule(rule)}.`),
  ].flat();
  return said.length === 0 ? undefined : said.join(' ');
}

/** Reads a listener with its rules; undefined when it is gone. */
export async function readListener(
  elbv2: ELBv2,
  listenerARN: string,
  signal: AbortSignal,
): Promise<Present | undefined> {
  const reading = Promise.all([elbv2.listener(listenerARN, signal), elbv2.rulesOf(listenerARN, signal)]);
  const found = await unlessError('ListenerNotFound', reading);
  return found && { listener: found[0], rules: found[1] };
}
