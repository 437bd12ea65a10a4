import { type Fields, pairs, text } from '../protocol/fields.ts';
import { CROSS_ZONE } from './cross-zone.ts';
import {
  api,
  firstOf,
  guide,
  invalid,
  whole,
  within,
  type Judged,
  type Refusal,
  type Rule,
} from './refusal.ts';

const actions = ['ModifyTargetGroupAttributes'];

const given = (parameters: Fields): Readonly<Record<string, string>> => pairs(parameters, 'Attributes');

const unsupported = (message: string): Refusal => ({ code: 'InvalidConfigurationRequest', message });

const SLOW_START = 'slow_start.duration_seconds';

const durations: readonly (readonly [key: string, low: number, high: number])[] = [
  ['deregistration_delay.timeout_seconds', 0, 3600],
  [SLOW_START, 30, 900],
];

/** What AWS refuses in the values of target group attributes. */
export const attributeRules: readonly Rule[] = [
  {
    name: 'stickiness-true-or-false',
    actions,
    source: api('API_TargetGroupAttribute'),
    refuse: ({ parameters }) => {
      const value = given(parameters)['stickiness.enabled'] ?? 'false';
      if (value === 'true' || value === 'false') return undefined;
      return invalid(`'stickiness.enabled' value '${value}' must be one of [true, false]`);
    },
  },
  {
    name: 'cookie-duration',
    actions,
    source: api('API_TargetGroupAttribute'),
    refuse: ({ parameters }) =>
      firstOf(['stickiness.lb_cookie.duration_seconds', 'stickiness.app_cookie.duration_seconds'], (key) => {
        const value = given(parameters)[key];
        if (value === undefined || within(whole(value), 1, 604_800)) return undefined;
        return invalid(`'${key}' value '${value}' must be between '1-604800' inclusive`);
      }),
  },
  {
    name: 'cookie-name-not-reserved',
    actions,
    source: api('API_TargetGroupAttribute'),
    refuse: ({ parameters }) => {
      const name = given(parameters)['stickiness.app_cookie.cookie_name'] ?? '';
      // AWSALBAPP and AWSALBTG are reserved, too, and begin with it.
      if (!name.startsWith('AWSALB')) return undefined;
      return invalid(`Application cookie name '${name}' must not begin with AWSALB, AWSALBAPP or AWSALBTG`);
    },
  },
  {
    name: 'delay-and-slow-start',
    actions,
    source: api('API_TargetGroupAttribute'),
    refuse: ({ parameters }) =>
      firstOf(durations, ([key, low, high]) => {
        const value = given(parameters)[key];
        const isOff = key === SLOW_START && value === '0';
        if (value === undefined || isOff || within(whole(value), low, high)) return undefined;
        return invalid(`'${key}' value '${value}' must be between '${low}-${high}' inclusive`);
      }),
  },
];

const stickinessTypes: Readonly<Record<string, readonly string[]>> = {
  HTTP: ['lb_cookie', 'app_cookie'],
  HTTPS: ['lb_cookie', 'app_cookie'],
  GENEVE: ['source_ip_dest_ip', 'source_ip_dest_ip_proto'],
};

const everyType = [...Object.values(stickinessTypes).flat(), 'source_ip'];

const groupOf = ({ parameters, world }: Judged): Fields =>
  world.targetGroups.get(text(parameters, 'TargetGroupArn') ?? '') ?? {};

/** Reads the attributes that a target group has after the call. */
const attributesAfter = ({ parameters, world }: Judged): Readonly<Record<string, string>> => ({
  ...world.attributes.get(text(parameters, 'TargetGroupArn') ?? ''),
  ...given(parameters),
});

/** What AWS refuses in target group attributes because of the group and what it has already. */
export const groupAttributeRules: readonly Rule[] = [
  {
    name: 'stickiness-type',
    actions,
    source: api('API_TargetGroupAttribute'),
    refuse: (call) => {
      const type = given(call.parameters)['stickiness.type'];
      const protocol = text(groupOf(call), 'Protocol');
      if (type === undefined || protocol === undefined) return undefined;
      if (!everyType.includes(type))
        return invalid(`'Stickiness type' must be one of [${everyType.join(', ')}]`);
      if ((stickinessTypes[protocol] ?? ['source_ip']).includes(type)) return undefined;
      return unsupported(
        `Stickiness type '${type}' is not supported for target groups with the ${protocol} protocol`,
      );
    },
  },
  {
    name: 'app-cookie-has-name',
    actions,
    source: guide('application', 'edit-target-group-attributes'),
    refuse: (call) => {
      const after = attributesAfter(call);
      const isAppCookie = after['stickiness.enabled'] === 'true' && after['stickiness.type'] === 'app_cookie';
      if (!isAppCookie || (after['stickiness.app_cookie.cookie_name'] ?? '') !== '') return undefined;
      return unsupported("You must set an application cookie name to enable stickiness of type 'app_cookie'");
    },
  },
  {
    name: 'tls-group-not-sticky',
    actions,
    source: guide('network', 'edit-target-group-attributes'),
    refuse: (call) => {
      const isEnabled = given(call.parameters)['stickiness.enabled'] === 'true';
      if (!isEnabled || text(groupOf(call), 'Protocol') !== 'TLS') return undefined;
      return unsupported('You cannot enable stickiness on target groups with the TLS protocol');
    },
  },
  {
    name: 'slow-start-of-http',
    actions,
    source: api('API_TargetGroupAttribute'),
    refuse: (call) => {
      const { [SLOW_START]: seconds = '0' } = given(call.parameters);
      const protocol = text(groupOf(call), 'Protocol') ?? '';
      if (seconds === '0' || protocol.startsWith('HTTP')) return undefined;
      return unsupported(
        `A target group with the ${protocol} protocol does not support the attribute ${SLOW_START}`,
      );
    },
  },
  {
    name: 'sticky-group-across-zones',
    actions,
    source: guide('application', 'disable-cross-zone'),
    refuse: (call) => {
      const after = attributesAfter(call);
      const isSticky = after['stickiness.enabled'] === 'true';
      const isHttp = (text(groupOf(call), 'Protocol') ?? '').startsWith('HTTP');
      if (!isSticky || !isHttp || after[CROSS_ZONE] !== 'false') return undefined;
      return unsupported('Target stickiness is not supported when cross-zone load balancing is off');
    },
  },
];
