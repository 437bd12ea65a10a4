import type { AwsError } from '../protocol/xml.ts';
import { type RawRequest, credentialOf } from '../protocol/request.ts';
import { accessesOf, type Asked } from './accesses.ts';
import { allows, allowsSomewhere, type Policy } from './policy.ts';

/** The policies of callers, by access key; a caller without one may do everything. */
export type Policies = ReadonlyMap<string, Policy>;

const denied = (who: string, action: string, resource: string): AwsError => ({
  code: 'AccessDenied',
  message: `User: ${who} is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`,
  status: 403,
});

/** Judges an ELBv2 call by the policy of its caller. */
export function judgeAccess(
  policy: Policy | undefined,
  asked: Asked,
  accessKey: string,
): AwsError | undefined {
  if (policy === undefined) return undefined;
  const refused = accessesOf(asked).find((access) => !allows(policy, access));
  if (refused === undefined) return undefined;
  return denied(`arn:aws:iam::${asked.account}:user/${accessKey}`, refused.action, refused.resource);
}

/** What AWS lets everybody do who can sign. */
const free = new Set(['sts:GetCallerIdentity']);

const clusterActions: readonly (readonly [method: string, path: RegExp, action: string])[] = [
  ['GET', /^\/clusters\/?$/, 'eks:ListClusters'],
  ['GET', /^\/clusters\/[^/]+$/, 'eks:DescribeCluster'],
];

/** What IAM calls a service that signatures call otherwise. */
const prefixes: Readonly<Record<string, string>> = { monitoring: 'cloudwatch' };

/** Names the action of a call to another service, as IAM does. */
function actionOf(service: string, { method, path, body, headers }: RawRequest): string {
  const [where = '', query] = path.split('?');
  // The JSON protocols name the action in a header: `GraniteServiceVersion20100801.GetMetricData`.
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return `${prefixes[service] ?? service}:${target.split('.').at(-1) ?? ''}`;
  if (service === 'eks')
    return (
      clusterActions.find(([verb, shape]) => verb === method && shape.test(where))?.[2] ??
      `eks:${method} ${where}`
    );
  const form = new URLSearchParams(method === 'POST' ? body.toString('utf8') : query);
  return `${service}:${form.get('Action') ?? `${method} ${where}`}`;
}

/** Judges a call to another service by its action alone: what it is about stands in forms that are not known here. */
export function judgeOther(policies: Policies, raw: RawRequest): AwsError | undefined {
  const credential = credentialOf(raw.headers.authorization);
  const policy = policies.get(credential?.accessKey ?? '');
  if (credential === undefined || policy === undefined) return undefined;
  const action = actionOf(credential.service, raw);
  if (free.has(action) || allowsSomewhere(policy, action)) return undefined;
  return denied(`arn:aws:iam::*:user/${credential.accessKey}`, action, '*');
}
