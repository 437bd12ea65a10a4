import type { Connections, RolloutState } from '../model/state.ts';
import type { WeightedTargetGroup } from '../model/target-group.ts';
import type { TargetHealth } from '../gates/health.ts';
import { loadBalancerKind, targetGroupsOf, type Forwarding } from './load-balancer.ts';

/** How long a Network Load Balancer leaves open flows with their target (listener-update-rules in its guide), in milliseconds. */
const FLOW_MS = 3_600_000;

/** Says where clients stay with target groups that have just lost weight: flows that are open do, requests do not. */
export function connectionsAfter(
  forwarding: Forwarding,
  before: readonly WeightedTargetGroup[],
  now: number,
): readonly Connections[] {
  if (!loadBalancerKind(forwarding.type).keepsOpenFlows) return [];
  const message = `Flows that were open at ${new Date(now).toISOString()} stay with it while they carry traffic, for an hour at most.`;
  return targetGroupsOf(forwarding)
    .filter(({ arn, weight }) => before.some((one) => one.arn === arn && one.weight > weight))
    .map(({ arn }) => ({ targetGroupARN: arn, message, until: now + FLOW_MS }));
}

/** Says of groups that wait at weight 0 which of their targets still serve. */
export const connectionsAtRest = (found: readonly TargetHealth[]): readonly Connections[] =>
  found.flatMap(({ targetGroupARN, draining = 0 }) => {
    if (draining === 0) return [];
    const whose = draining === 1 ? '1 of its targets is' : `${draining} of its targets are`;
    const message = `${whose} draining: open connections may continue until their deregistration delay is over.`;
    return [{ targetGroupARN, message }];
  });

/** Remembers new delays beside those of other groups that are not over. */
export function withConnections(
  state: RolloutState,
  found: readonly Connections[],
  now: number,
): RolloutState {
  const { connections = [], ...rest } = state;
  const others = connections.filter(
    (one) => isOpen(one, now) && !found.some(({ targetGroupARN }) => targetGroupARN === one.targetGroupARN),
  );
  const all = [...others, ...found];
  return all.length === 0 ? rest : { ...rest, connections: all };
}

/** Says for people why clients of a group are elsewhere than its weight says; undefined when nothing is known of that. */
export function connectionsText(
  { connections = [], idle }: RolloutState,
  arn: string,
  { weight, now }: { readonly weight: number; readonly now: number },
): string | undefined {
  const resting = weight === 0 ? (idle?.connections ?? []) : [];
  const said = [...connections, ...resting].filter((one) => one.targetGroupARN === arn && isOpen(one, now));
  return said.length === 0 ? undefined : said.map(({ message }) => message).join(' ');
}

const isOpen = ({ until }: Connections, now: number): boolean => until === undefined || until > now;
