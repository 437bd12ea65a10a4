import { isIP } from 'node:net';
import { type Fields, items, text } from '../protocol/fields.ts';
import { api, firstOf, invalid, whole, within, type Refusal, type Rule } from './refusal.ts';

const registering = ['RegisterTargets', 'DeregisterTargets'];
function judgeName(name: string): Refusal | undefined {
  if (name.length > 32) return invalid(`Target group name '${name}' cannot be longer than '32' characters`);
  if (!/^[A-Za-z0-9-]+$/.test(name))
    return invalid(
      `Target group name '${name}' can only contain characters that are alphanumeric characters or hyphens(-)`,
    );
  if (!/^-|-$/.test(name)) return undefined;
  return invalid(`Target group name '${name}' cannot begin or end with '-'`);
}

/** What AWS refuses in the settings of a target group, and in the form of targets. */
export const targetFormRules: readonly Rule[] = [
  {
    name: 'group-name',
    actions: ['CreateTargetGroup'],
    source: api('API_CreateTargetGroup'),
    refuse: ({ parameters }) => judgeName(text(parameters, 'Name') ?? ''),
  },
  {
    name: 'group-settings-required',
    actions: ['CreateTargetGroup'],
    source: api('API_CreateTargetGroup'),
    refuse: ({ parameters }) => {
      if (text(parameters, 'TargetType') === 'lambda') return undefined;
      return firstOf(['Protocol', 'Port', 'VpcId'], (name) =>
        (text(parameters, name) ?? '') === '' ? invalid(`A ${name} must be specified`) : undefined,
      );
    },
  },
  {
    name: 'target-port',
    actions: registering,
    source: api('API_TargetDescription'),
    refuse: ({ parameters }) =>
      firstOf(items(parameters, 'Targets'), (target) => {
        const port = text(target, 'Port');
        if (port === undefined || within(whole(port), 1, 65_535)) return undefined;
        return invalid(`Target port '${port}' must be between '1-65535' inclusive`);
      }),
  },
  {
    name: 'two-hundred-targets-per-call',
    actions: registering,
    source: api('API_RegisterTargets'),
    refuse: ({ parameters }) =>
      items(parameters, 'Targets').length <= 200
        ? undefined
        : invalid('Cannot have more than 200 targets in one call'),
  },
];

// RFC 1918 and RFC 6598; the subnets of a VPC, which may have other addresses, are not known here.
const privateRanges = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.)/;

function judgeAddress(id: string): Refusal | undefined {
  if (isIP(id) === 0) return invalid(`The IP address '${id}' is not a valid IPv4 or IPv6 address`);
  if (isIP(id) === 6 || privateRanges.test(id)) return undefined;
  return {
    code: 'InvalidTarget',
    message: `The IP address '${id}' is not within the subnets of the VPC, or one of the ranges 10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16 and 100.64.0.0/10`,
  };
}

const judgeInstance = (id: string): Refusal | undefined =>
  /^i-[0-9a-f]+$/.test(id) ? undefined : invalid(`Instance ID '${id}' is not valid`);

function judgeTarget(group: Fields, id: string): Refusal | undefined {
  switch (text(group, 'TargetType')) {
    case 'ip':
      return judgeAddress(id);
    case 'instance':
      return judgeInstance(id);
    default:
      return undefined;
  }
}

function judgeServerId(protocol: string, id: string | undefined): Refusal | undefined {
  if (!protocol.endsWith('QUIC'))
    return id === undefined
      ? undefined
      : invalid(`A QUIC server ID is not supported for target groups with the ${protocol} protocol`);
  if (id === undefined)
    return invalid(`A QUIC server ID must be specified for target groups with the ${protocol} protocol`);
  return /^0x[0-9a-f]{16}$/.test(id)
    ? undefined
    : invalid(`QUIC server ID '${id}' must be '0x' followed by 16 lowercase hexadecimal characters`);
}

/** What AWS refuses in targets because of the group that is there. */
export const targetGroupRules: readonly Rule[] = [
  {
    name: 'target-of-its-type',
    actions: registering,
    source: api('API_TargetDescription'),
    refuse: ({ parameters, world }) => {
      const group = world.targetGroups.get(text(parameters, 'TargetGroupArn') ?? '') ?? {};
      return firstOf(items(parameters, 'Targets'), (target) => judgeTarget(group, text(target, 'Id') ?? ''));
    },
  },
  {
    name: 'quic-server-id',
    actions: ['RegisterTargets'],
    source: api('API_TargetDescription'),
    refuse: ({ parameters, world }) => {
      const group = world.targetGroups.get(text(parameters, 'TargetGroupArn') ?? '') ?? {};
      const protocol = text(group, 'Protocol') ?? '';
      return firstOf(items(parameters, 'Targets'), (target) =>
        judgeServerId(protocol, text(target, 'QuicServerId')),
      );
    },
  },
];
