import type { AWSTargetGroup } from '../../../crds/aws-target-group.ts';
import {
  loadBalancerKind,
  loadBalancerTypes,
  type LoadBalancerType,
} from '../../load-balancers/load-balancer.ts';
import type { RejectedTargetGroup } from '../../versions/version.ts';

/** What is to be said of a target group. */
export interface TargetGroupVerdict {
  readonly holds: boolean | 'Unknown';
  /** CamelCase; part of the API. */
  readonly reason: string;
  readonly message: string;
}

/** A Cell that selects the target group, and the load balancer that it stands behind. */
export interface TargetGroupUser {
  readonly cell: { readonly metadata: { readonly name: string } };
  readonly type: LoadBalancerType;
  /** Undefined where none of ELBv2 holds target groups. */
  readonly loadBalancerARN: string | undefined;
  /** Why the Cell cannot use the target group; undefined when it can. */
  readonly rejected?: RejectedTargetGroup | undefined;
}

/** Says that AWS could not be asked. */
export function unasked(
  { spec }: AWSTargetGroup,
  { reason, message }: { readonly reason: string; readonly message: string },
): TargetGroupVerdict {
  return {
    holds: 'Unknown',
    reason,
    message: `Cannot look up ${spec.arn} in AWS: ${message} Retrying.`,
  };
}

/** Says that AWS does not know the ARN. */
export const notFound = ({ spec }: AWSTargetGroup): TargetGroupVerdict => ({
  holds: false,
  reason: 'TargetGroupNotFound',
  message: `Target group ${spec.arn} not found in AWS. Correct spec.arn, or create the target group.`,
});

/** Judges a target group that AWS knows by the Cells that select it: whether they can use it. */
export const judgeKnown = (facts: TargetGroupFacts, users: readonly TargetGroupUser[]): TargetGroupVerdict =>
  wrongProtocol(facts, users) ?? heldByAnother(facts, users) ?? rejected(facts, users) ?? known(facts);

/** GENEVE is the protocol of Gateway Load Balancers, behind which no Cell is. */
const knownProtocols: ReadonlySet<string> = new Set([
  'GENEVE',
  ...loadBalancerTypes.flatMap((type) => loadBalancerKind(type).takes?.protocols ?? []),
]);

function wrongProtocol(
  facts: TargetGroupFacts,
  users: readonly TargetGroupUser[],
): TargetGroupVerdict | undefined {
  const protocol = protocolOf(facts);
  // What nobody knows may be taken by a load balancer that is newer than this.
  if (!knownProtocols.has(protocol)) return undefined;
  const user = users.find(({ type }) => loadBalancerKind(type).takes?.protocols.includes(protocol) === false);
  if (user === undefined) return undefined;
  const { expected: text = '' } = loadBalancerKind(user.type).takes ?? {};
  const expected = text.replace('NAME', user.cell.metadata.name);
  return {
    holds: false,
    reason: 'WrongProtocol',
    message: `The target group is for ${protocol}, but must be for ${expected}. Correct spec.arn, or the labels by which the Cell selects it.`,
  };
}

const protocolOf = ({ protocol, targetType }: TargetGroupFacts): string =>
  targetType === 'lambda' ? targetType : (protocol ?? 'no protocol');

function heldByAnother(
  { loadBalancerARNs }: TargetGroupFacts,
  users: readonly TargetGroupUser[],
): TargetGroupVerdict | undefined {
  const [user] = users;
  const [holder] = loadBalancerARNs.toSorted();
  if (user?.loadBalancerARN === undefined || holder === undefined) return undefined;
  const isHeld = ({ loadBalancerARN: own }: TargetGroupUser): boolean =>
    own !== undefined && loadBalancerARNs.includes(own);
  if (users.some(isHeld)) return undefined;
  const own = nameOf(user.loadBalancerARN);
  return {
    holds: false,
    reason: 'HeldByAnotherLoadBalancer',
    message: `The target group is in use by load balancer ${nameOf(holder)}, so load balancer ${own} of Cell ${user.cell.metadata.name} cannot use it: a target group can belong to only one load balancer. Remove it from the listeners and rules there, or name another one in spec.arn.`,
  };
}

/** A load balancer for people: `app/web/0123456789abcdef`. */
const nameOf = (loadBalancerARN: string): string => loadBalancerARN.replace(/^.*:loadbalancer\//, '');

function rejected(
  { tags }: TargetGroupFacts,
  users: readonly TargetGroupUser[],
): TargetGroupVerdict | undefined {
  for (const { cell, rejected: why } of users) {
    if (why === undefined) continue;
    const { reason, message } = why;
    const selecting = `Cell ${cell.metadata.name} selects it.`;
    if (reason === 'MissingVersion' && tags.is === 'Unasked') {
      const asked = `No version: the AWSTargetGroup has no version label, and the AWS tags could not be read: ${tags.message} Retrying; or set the label okra.mumo.co/version. ${selecting}`;
      return { holds: 'Unknown', reason: tags.reason, message: asked };
    }
    return { holds: false, reason, message: `${message} ${selecting}` };
  }
  return undefined;
}

function known(facts: TargetGroupFacts): TargetGroupVerdict {
  const { targetType, vpcID } = facts;
  const said = [
    protocolOf(facts),
    ...(targetType === undefined || targetType === 'lambda' ? [] : [`targets of type ${targetType}`]),
    ...(vpcID === undefined ? [] : [vpcID]),
  ];
  return { holds: true, reason: 'Known', message: `AWS knows the target group: ${said.join(', ')}.` };
}

/** What AWS answered about an ARN. */
export type TargetGroupAnswer =
  | ({ readonly is: 'Known' } & TargetGroupFacts)
  | { readonly is: 'NotFound' }
  /** AWS was not asked, because the namespace may not use the target group. */
  | { readonly is: 'NotAllowed'; readonly message: string }
  /** AWS could not be asked: it throttled, refused, or did not answer. */
  | { readonly is: 'Unasked'; readonly reason: string; readonly message: string };

/** What AWS says of a target group that it knows. */
export interface TargetGroupFacts {
  /** The load balancers that forward to it; AWS allows for one. */
  readonly loadBalancerARNs: readonly string[];
  /** `HTTP`, `TCP` and so on; undefined with a Lambda function. */
  readonly protocol?: string | undefined;
  /** `instance`, `ip`, `lambda` or `alb`. */
  readonly targetType?: string | undefined;
  readonly vpcID?: string | undefined;
  readonly tags: TagsAnswer;
}

/** What AWS answered about the tags of a target group. */
export type TagsAnswer =
  | { readonly is: 'Known'; readonly tags: Readonly<Record<string, string>> }
  /** AWS could not be asked: it throttled, refused, or did not answer. */
  | { readonly is: 'Unasked'; readonly reason: string; readonly message: string };
