import type { AccessPolicySpec } from '../../crds/access-policy.ts';
import { compareText } from '../kubernetes/canonical.ts';
import { fieldsIn, isRecord } from '../model/fields.ts';
import { unreachable } from '../unreachable.ts';

/** Whether a character of a text may be this one of a pattern. */
type Same = (character: string | undefined, wanted: string | undefined) => boolean;

/** Whether a text is like a pattern, in which `*` stands for any characters. Takes time by the product of both lengths at most, whatever they are. */
export function isLike(text: string, pattern: string, same: Same = (one, other) => one === other): boolean {
  let at = 0;
  let from = 0;
  let star = -1;
  let retry = 0;
  while (at < text.length) {
    if (pattern[from] === '*') {
      star = from;
      from += 1;
      retry = at;
    } else if (from < pattern.length && same(text[at], pattern[from])) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      // The last star takes one more character.
      from = star + 1;
      retry += 1;
      at = retry;
    } else return false;
  }
  while (pattern[from] === '*') from += 1;
  return from === pattern.length;
}

const UNKNOWN = '?';
const isDigit = (character = ''): boolean => /^[0-9a-f]$/.test(character);

/** The same for a text in which each `?` stands for a digit that nobody knows yet: whether it may come to be like the pattern. */
export const mayBeLike = (text: string, pattern: string): boolean =>
  isLike(text, pattern, (one, wanted) => one === wanted || (one === UNKNOWN && isDigit(wanted)));

/** What the objects of a namespace may have Okra use: the union of the AccessPolicies that are about it. */
export interface Access {
  readonly namespace: string;
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
  | { readonly of: 'Image'; readonly image: string };

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

/** Whether an AccessPolicy is about a namespace; one that does not say so is about every one. */
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
  // Which external ids others have is nobody's business.
  const withID = use.of === 'Role' && use.externalID !== undefined ? ' with this external id' : '';
  const [field, , what] = use.of === 'Role' ? ['roles', '', `role ${use.arn}${withID}`] : entryOf(use);
  const got = `No AccessPolicy (${policies.join(', ')}) lets namespace ${namespace} use ${what}.`;
  if (unreadable.length > 0)
    return `${got} The spec of ${unreadable.join(', ')} is invalid, so it allows nothing. Correct it.`;
  return `${got} Use another one, or have it added to spec.${field}.`;
}

const allows = (spec: Access['specs'][number], use: Use): boolean =>
  use.of === 'Role'
    ? (spec.roles ?? []).some((role) => mayAssume(role, use))
    : (spec[entryOf(use)[0]] ?? []).some((pattern) => fits(use, pattern));

const some = (patterns: readonly string[], text: string): boolean =>
  patterns.some((pattern) => isLike(text, pattern));

const mayAssume = (
  { arn: pattern, externalIDs = [] }: NonNullable<AccessPolicySpec['roles']>[number],
  { arn, externalID }: Extract<Use, { of: 'Role' }>,
): boolean =>
  isLike(arn, pattern) &&
  (externalID === undefined ? externalIDs.length === 0 : some(externalIDs, externalID));

const ACCOUNT = '?'.repeat(12);
const ID = '?'.repeat(16);

/** Whether a pattern allows a use; of an ARN that nobody knows yet, whether it may. */
function fits(use: Exclude<Use, { of: 'Role' }>, pattern: string): boolean {
  const partition = /^arn:(aws[a-z-]*):/.exec(pattern)?.[1] ?? 'aws';
  switch (use.of) {
    case 'NamedCluster':
      return mayBeLike(`arn:${partition}:eks:${use.region}:${ACCOUNT}:cluster/${use.name}`, pattern);
    case 'NewTargetGroup':
      return mayBeLike(
        `arn:${partition}:elasticloadbalancing:${use.region}:${ACCOUNT}:targetgroup/${use.name}/${ID}`,
        pattern,
      );
    default:
      return isLike(entryOf(use)[1], pattern);
  }
}

/** An EKS cluster without its account, which may be Okra's own. */
function clusterText(arn: string): string {
  const [, , , region, , resource = ''] = arn.split(':');
  return `EKS cluster ${resource.replace('cluster/', '')} in ${region}`;
}

/** The field of an AccessPolicy that allows a use, what a pattern there is about, and what people call it. */
function entryOf(
  use: Exclude<Use, { of: 'Role' }>,
): readonly [field: Exclude<keyof AccessPolicySpec, 'namespaces' | 'roles'>, text: string, what: string] {
  switch (use.of) {
    case 'Cluster':
      return ['clusters', use.arn, clusterText(use.arn)];
    case 'NamedCluster':
      return ['clusters', use.name, `EKS cluster ${use.name} in ${use.region}`];
    case 'Server':
      return ['servers', use.host, `a token of Okra at ${use.host}`];
    case 'TargetGroup':
      return ['targetGroups', use.arn, `target group ${use.arn}`];
    case 'NewTargetGroup':
      return ['targetGroups', use.name, `a new target group ${use.name} in ${use.region}`];
    case 'Listener':
      return ['listeners', use.arn, `listener ${use.arn}`];
    case 'Metrics':
      return ['metrics', use.source, `metrics of ${use.source}`];
    case 'Image':
      return ['images', use.image, `image ${use.image}`];
    default:
      return unreachable(use);
  }
}
