import type { AccessPolicySpec } from '../../crds/access-policy.ts';
import { compareText } from '../kubernetes/canonical.ts';
import { fieldsIn, isRecord } from '../model/fields.ts';
import { isLike, mayBeLike } from './glob.ts';
import { unreachable } from '../unreachable.ts';

/** What the objects of a namespace may have Okra use: the union of the AccessPolicies that are about it. */
export interface Access {
  readonly namespace: string;
  /** The names of these AccessPolicies. */
  readonly policies: readonly string[];
  /** The names of those that cannot be read, and allow nothing. */
  readonly unreadable: readonly string[];
  readonly specs: readonly AccessPolicySpec[];
}

/** What an object asks Okra to use. */
export type Use =
  | { readonly of: 'Role'; readonly arn: string; readonly externalID?: string | undefined }
  | { readonly of: 'Cluster'; readonly arn: string }
  /** An EKS cluster before EKS was asked about it; nobody knows its account. */
  | { readonly of: 'NamedCluster'; readonly region: string; readonly name: string }
  | { readonly of: 'Server'; readonly host: string }
  | { readonly of: 'TargetGroup'; readonly arn: string }
  /** A target group that does not exist yet; nobody knows its account and id. */
  | { readonly of: 'NewTargetGroup'; readonly region: string; readonly name: string }
  | { readonly of: 'Listener'; readonly arn: string }
  /** A provider of metrics: `datadog/SITE`, `cloudwatch/REGION` or `prometheus/HOST`. */
  | { readonly of: 'Metrics'; readonly source: string }
  /** An image that a Job runs. */
  | { readonly of: 'Image'; readonly image: string };

/** What is known of an AccessPolicy. */
interface Policy {
  readonly metadata: { readonly name: string };
  readonly spec: AccessPolicySpec;
}

/** What a namespace may use; undefined: everything, as no AccessPolicy is about it. One that is being deleted holds until it is gone. */
export function accessOf(namespace: string, policies: readonly Policy[]): Access | undefined {
  const about = policies
    .filter(({ spec }) => isAboutNamespace(spec, namespace))
    .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  if (about.length === 0) return undefined;
  const namesOf = (some: readonly Policy[]): readonly string[] => some.map(({ metadata }) => metadata.name);
  const unreadable = about.filter(({ spec }) => !isReadable(spec));
  return {
    namespace,
    policies: namesOf(about),
    unreadable: namesOf(unreadable),
    specs: about.map((policy) => (unreadable.includes(policy) ? { namespaces: [namespace] } : policy.spec)),
  };
}

/**
 * Whether an AccessPolicy is about a namespace. The API server serves what it has stored, also of a form that its schema no longer
 * allows, or does not allow yet; a policy that does not say what it is about may be meant for any namespace.
 */
export function isAboutNamespace(spec: AccessPolicySpec, namespace: string): boolean {
  const patterns = namespacesIn(spec);
  return patterns === undefined || patterns.some((pattern) => isLike(namespace, pattern));
}

/** The namespaces that an AccessPolicy names; undefined when it does not. */
function namespacesIn(spec: AccessPolicySpec): readonly string[] | undefined {
  const { namespaces } = fieldsIn(spec);
  return isTexts(namespaces) && namespaces.length > 0 ? namespaces : undefined;
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isTextsIfAny = (value: unknown): boolean => value === undefined || isTexts(value);

function isReadable(spec: AccessPolicySpec): boolean {
  const { roles = [], clusters, servers, targetGroups, listeners, metrics, images } = fieldsIn(spec);
  const isRole = (role: unknown): boolean =>
    isRecord(role) && typeof role['arn'] === 'string' && isTextsIfAny(role['externalIDs']);
  return (
    namespacesIn(spec) !== undefined &&
    Array.isArray(roles) &&
    roles.every(isRole) &&
    [clusters, servers, targetGroups, listeners, metrics, images].every(isTextsIfAny)
  );
}

/** Whether a namespace may use something. */
export const mayUse = (access: Access | undefined, use: Use): boolean =>
  access === undefined || access.specs.some((spec) => allows(spec, use));

/** Says what a namespace may not use; undefined when it may. */
export function refusalOf(access: Access | undefined, use: Use): string | undefined {
  if (access === undefined || mayUse(access, use)) return undefined;
  const { namespace, policies, unreadable } = access;
  const [field, what] = named(use);
  const got = `No AccessPolicy (${policies.join(', ')}) lets namespace ${namespace} use ${what}.`;
  if (unreadable.length > 0)
    return `${got} The spec of ${unreadable.join(', ')} is invalid, so it allows nothing. Correct it.`;
  return `${got} Use another one, or have it added to spec.${field}.`;
}

function allows(spec: Access['specs'][number], use: Use): boolean {
  const { roles = [], clusters = [], servers = [], targetGroups = [], listeners = [] } = spec;
  const { metrics = [], images = [] } = spec;
  const some = (patterns: readonly string[], text: string): boolean =>
    patterns.some((pattern) => isLike(text, pattern));
  switch (use.of) {
    case 'Role': {
      const { arn, externalID } = use;
      return roles.some(
        ({ arn: pattern, externalIDs = [] }) =>
          isLike(arn, pattern) &&
          (externalID === undefined ? externalIDs.length === 0 : some(externalIDs, externalID)),
      );
    }
    case 'Cluster':
      return some(clusters, use.arn);
    case 'NamedCluster': {
      const { region, name } = use;
      return clusters.some((pattern) =>
        mayBeLike(futureARN(pattern, `eks:${region}:${ACCOUNT}:cluster/${name}`), pattern),
      );
    }
    case 'Server':
      return some(servers, use.host);
    case 'TargetGroup':
      return some(targetGroups, use.arn);
    case 'NewTargetGroup':
      return targetGroups.some((pattern) => mayBeLike(groupARN(use, pattern), pattern));
    case 'Listener':
      return some(listeners, use.arn);
    case 'Metrics':
      return some(metrics, use.source);
    case 'Image':
      return some(images, use.image);
    default:
      return unreachable(use);
  }
}

const ACCOUNT = '?'.repeat(12);
const ID = '?'.repeat(16);

/** An ARN of which not all digits are known, in the partition of a pattern. */
function futureARN(pattern: string, rest: string): string {
  const partition = /^arn:(aws[a-z-]*):/.exec(pattern)?.[1] ?? 'aws';
  return `arn:${partition}:${rest}`;
}

/** The ARN that a target group will have. */
const groupARN = ({ region, name }: Extract<Use, { of: 'NewTargetGroup' }>, pattern: string): string =>
  futureARN(pattern, `elasticloadbalancing:${region}:${ACCOUNT}:targetgroup/${name}/${ID}`);

/** An EKS cluster without its account, which may be Okra's own. */
function clusterText(arn: string): string {
  const [, , , region, , resource = ''] = arn.split(':');
  return `EKS cluster ${resource.replace('cluster/', '')} in ${region}`;
}

function named(use: Use): readonly [field: string, what: string] {
  switch (use.of) {
    case 'Role':
      // Which external ids others have is nobody's business.
      return ['roles', `role ${use.arn}${use.externalID === undefined ? '' : ' with this external id'}`];
    case 'Cluster':
      return ['clusters', clusterText(use.arn)];
    case 'NamedCluster':
      return ['clusters', clusterText(`:::${use.region}::cluster/${use.name}`)];
    case 'Server':
      return ['servers', `a token of Okra at ${use.host}`];
    case 'TargetGroup':
      return ['targetGroups', `target group ${use.arn}`];
    case 'NewTargetGroup':
      return ['targetGroups', `a new target group ${use.name} in ${use.region}`];
    case 'Listener':
      return ['listeners', `listener ${use.arn}`];
    case 'Metrics':
      return ['metrics', `metrics of ${use.source}`];
    case 'Image':
      return ['images', `image ${use.image}`];
    default:
      return unreachable(use);
  }
}
