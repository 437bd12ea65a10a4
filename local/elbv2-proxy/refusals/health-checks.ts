import { type Fields, text } from '../protocol/fields.ts';
import { api, firstOf, guide, invalid, whole, within, type Judged, type Rule } from './refusal.ts';

const checking = ['CreateTargetGroup', 'ModifyTargetGroup'];

const ranges: readonly (readonly [name: string, low: number, high: number])[] = [
  ['HealthCheckIntervalSeconds', 5, 300],
  ['HealthCheckTimeoutSeconds', 2, 120],
  ['HealthyThresholdCount', 2, 10],
  ['UnhealthyThresholdCount', 2, 10],
];

/** What AWS refuses in health checks by themselves. */
export const healthCheckFormRules: readonly Rule[] = [
  {
    name: 'health-check-ranges',
    actions: checking,
    source: api('API_CreateTargetGroup'),
    refuse: ({ parameters }) =>
      firstOf(ranges, ([name, low, high]) => {
        const value = text(parameters, name);
        if (value === undefined || within(whole(value), low, high)) return undefined;
        return invalid(`'${name}' value '${value}' must be between '${low}-${high}' inclusive`);
      }),
  },
];

/** What a caller who names none gets (API_CreateTargetGroup). */
function defaultsOf(group: Fields): { readonly interval: number; readonly timeout: number } {
  if (text(group, 'TargetType') === 'lambda') return { interval: 35, timeout: 30 };
  const protocol = text(group, 'Protocol');
  if (protocol === 'GENEVE') return { interval: 10, timeout: 5 };
  return { interval: 30, timeout: protocol === 'HTTP' ? 6 : 10 };
}

function timesAfter({ parameters, world }: Judged): { readonly interval: number; readonly timeout: number } {
  const present = world.targetGroups.get(text(parameters, 'TargetGroupArn') ?? '') ?? {};
  const after = { ...present, ...parameters };
  const { interval, timeout } = defaultsOf(after);
  return {
    interval: whole(text(after, 'HealthCheckIntervalSeconds') ?? String(interval)),
    timeout: whole(text(after, 'HealthCheckTimeoutSeconds') ?? String(timeout)),
  };
}

/** What AWS refuses in health checks because of the group and what it has already. */
export const healthCheckRules: readonly Rule[] = [
  {
    name: 'health-check-protocol',
    actions: checking,
    source: guide('application', 'target-group-health-checks'),
    refuse: ({ parameters, world }) => {
      const group = world.targetGroups.get(text(parameters, 'TargetGroupArn') ?? '') ?? parameters;
      const asked = text(parameters, 'HealthCheckProtocol') ?? '';
      const protocol = text(group, 'Protocol') ?? '';
      const taken = protocol.startsWith('HTTP') ? ['HTTP', 'HTTPS'] : ['HTTP', 'HTTPS', 'TCP'];
      if (asked === '' || taken.includes(asked)) return undefined;
      return {
        code: 'InvalidConfigurationRequest',
        message: `Health check protocol '${asked}' is not supported for target groups with the protocol '${protocol}'`,
      };
    },
  },
  {
    name: 'interval-above-timeout',
    actions: checking,
    source: 'https://github.com/hashicorp/terraform-provider-aws/pull/48071',
    refuse: (call) => {
      const { interval, timeout } = timesAfter(call);
      return interval > timeout
        ? undefined
        : invalid('Health check interval must be greater than the timeout.');
    },
  },
];
