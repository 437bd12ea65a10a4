import type { Connections, RolloutState } from '../model/state.ts';
import type { TargetHealth } from '../gates/health.ts';
import { loadBalancerKind, type LoadBalancerType } from './load-balancer.ts';

/** A target group whose weight was changed, and what delays its connections. */
export interface ChangedGroup {
  readonly targetGroupARN: string;
  readonly change: 'Gains' | 'Loses';
  /** How many of its targets are being deregistered. */
  readonly draining: number;
  /** How long those may take, where that was read. */
  readonly deregistrationDelaySeconds?: number | undefined;
  /** How long a target takes to its full share after it became healthy, where that was read. */
  readonly slowStartSeconds?: number | undefined;
}

interface Delay {
  readonly text: string;
  readonly seconds?: number | undefined;
}

/** How long a Network Load Balancer leaves open flows with their target (listener-update-rules in its guide). */
const FLOW_SECONDS = 3_600;

/** Says why clients are elsewhere than the weights say that were written just now. */
export const connectionsAfter = (
  groups: readonly ChangedGroup[],
  { type, now }: { readonly type: LoadBalancerType; readonly now: number },
): readonly Connections[] =>
  groups.flatMap((group) => {
    const { targetGroupARN, change, slowStartSeconds = 0 } = group;
    const flows: Delay = {
      text: `Flows that were open at ${new Date(now).toISOString()} stay with it while they carry traffic, for an hour at most.`,
      seconds: FLOW_SECONDS,
    };
    const slow: Delay = {
      text: `A target that becomes healthy has its full share after ${slowStartSeconds}s (slow start).`,
      seconds: slowStartSeconds,
    };
    return told(targetGroupARN, now, [
      ...(change === 'Loses' && loadBalancerKind(type).keepsOpenFlows ? [flows] : []),
      ...drainingIn(group),
      ...(change === 'Gains' && slowStartSeconds > 0 ? [slow] : []),
    ]);
  });

/** Says of groups that wait at weight 0 which of their targets still serve. */
export const connectionsAtRest = (found: readonly TargetHealth[], now: number): readonly Connections[] =>
  found.flatMap(({ targetGroupARN, draining = 0 }) => told(targetGroupARN, now, drainingIn({ draining })));

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

function drainingIn({
  draining,
  deregistrationDelaySeconds: seconds,
}: Pick<ChangedGroup, 'draining' | 'deregistrationDelaySeconds'>): readonly Delay[] {
  if (draining === 0) return [];
  const whose = draining === 1 ? '1 of its targets is' : `${draining} of its targets are`;
  const long =
    seconds === undefined
      ? 'until their deregistration delay is over'
      : `for ${seconds}s (deregistration delay)`;
  return [{ text: `${whose} draining: open connections may continue ${long}.`, seconds }];
}

function told(targetGroupARN: string, now: number, delays: readonly Delay[]): readonly Connections[] {
  if (delays.length === 0) return [];
  const message = delays.map(({ text }) => text).join(' ');
  const longest = Math.max(...delays.map(({ seconds = Infinity }) => seconds));
  const until = Number.isFinite(longest) ? { until: now + longest * 1000 } : {};
  return [{ targetGroupARN, message, ...until }];
}
