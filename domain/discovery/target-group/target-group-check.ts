import { given, omit } from '../../model/fields.ts';
import type { AWSTargetGroup, AWSTargetGroupStatus } from '../../../crds/aws-target-group.ts';
import type { Cell, WrittenCellSpec } from '../../../crds/cell.ts';
import { saysTheSame } from '../sync-status.ts';
import { conditionsFrom, type Claim } from '../../kubernetes/conditions.ts';
import {
  loadBalancerKind,
  routeOf,
  loadBalancerTypes,
  type LoadBalancerType,
} from '../../load-balancers/load-balancer.ts';
import { unreachable } from '../../unreachable.ts';
import { byName, groupByVersion, type RejectedTargetGroup } from '../../versions/version.ts';
import { selectTargetGroups } from '../../versions/watched.ts';
import { VERSION_TAGS } from '../../kubernetes/labels.ts';
import { taggedVersion } from '../../versions/version-label.ts';

type TargetGroupVerdict = Omit<Claim, 'type'>;

/** A Cell that selects the target group, and the load balancer that it stands behind. */
interface TargetGroupUser {
  readonly cell: { readonly metadata: { readonly name: string } };
  readonly type: LoadBalancerType;
  /** Undefined where none of ELBv2 holds target groups. */
  readonly loadBalancerARN: string | undefined;
  /** Why the Cell cannot use the target group; undefined when it can. */
  readonly rejected?: RejectedTargetGroup | undefined;
}

const judgeKnown = (facts: TargetGroupFacts, users: readonly TargetGroupUser[]): TargetGroupVerdict =>
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
  | Unasked;

/** AWS could not be asked: it throttled, refused, or did not answer. */
export interface Unasked {
  readonly is: 'Unasked';
  readonly reason: string;
  readonly message: string;
}

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
export type TagsAnswer = { readonly is: 'Known'; readonly tags: Readonly<Record<string, string>> } | Unasked;

interface ObservedTargetGroups {
  readonly groups: readonly AWSTargetGroup[];
  readonly cells: readonly SelectingCell[];
  readonly answers: ReadonlyMap<string, TargetGroupAnswer>;
  readonly time: string;
}

/** What of a Cell says which target groups it takes, and where to. */
export interface SelectingCell {
  readonly metadata: Pick<Cell['metadata'], 'name' | 'deletionTimestamp'>;
  readonly spec: Pick<WrittenCellSpec, 'ingress' | 'versionedBy'>;
}

/** Says what is to be written of the AWSTargetGroups of a namespace: what is new, and of those that stay. */
export function checkTargetGroups(observed: ObservedTargetGroups) {
  const { answers, time } = observed;
  const groups = observed.groups.filter(stays);
  const usersOf = usersIn(
    groups.map((group) => withTags(group, answers.get(group.spec.arn))),
    observed.cells,
  );
  return groups.flatMap((group) => {
    const answer = answers.get(group.spec.arn);
    const verdict = judge(group, answer, usersOf(group));
    if (verdict === undefined) return [];
    const status = statusOf(verdict, withTags(group, answer), time);
    if (saysTheSame(status, group.status)) return [];
    const { name, uid = '', resourceVersion } = group.metadata;
    return [{ name, uid, resourceVersion, status }];
  });
}

/** Whether an object is not being deleted. */
export const stays = ({ metadata }: Pick<AWSTargetGroup | Cell, 'metadata'>): boolean =>
  metadata.deletionTimestamp === undefined;

/** Judges a target group; undefined when what was said of it before still is all there is to say. */
function judge(
  group: AWSTargetGroup,
  answer: TargetGroupAnswer | undefined,
  users: readonly TargetGroupUser[],
): TargetGroupVerdict | undefined {
  switch (answer?.is) {
    case undefined:
      return undefined;
    case 'Unasked':
      return isJudged(group)
        ? undefined
        : {
            holds: 'Unknown',
            reason: answer.reason,
            message: `Cannot look up ${group.spec.arn} in AWS: ${answer.message} Retrying.`,
          };
    case 'NotFound':
      return {
        holds: false,
        reason: 'TargetGroupNotFound',
        message: `Target group ${group.spec.arn} not found in AWS. Correct spec.arn, or create the target group.`,
      };
    case 'NotAllowed':
      return { holds: false, reason: answer.is, message: answer.message };
    case 'Known':
      return judgeKnown(answer, users);
    default:
      return unreachable(answer);
  }
}

/** Whether the conditions are about this ARN, and not about one that was corrected since. */
const isJudged = ({ metadata, status }: AWSTargetGroup): boolean =>
  (status?.conditions ?? []).length > 0 && status?.observedGeneration === metadata.generation;

function usersIn(
  groups: readonly AWSTargetGroup[],
  cells: readonly SelectingCell[],
): (group: AWSTargetGroup) => readonly TargetGroupUser[] {
  const users = cells
    .filter(stays)
    .toSorted((a, b) => byName(a.metadata, b.metadata))
    .flatMap((cell) => {
      const route = routeOf(cell.spec);
      if (route === undefined) return [];
      const selected = selectTargetGroups(cell.spec, groups);
      const rejections = new Map(groupByVersion(selected).rejected.map((one) => [one.name, one]));
      const loadBalancerARN = loadBalancerKind(route.type).loadBalancerARNOf(route);
      return selected.map(({ name }) => ({
        name,
        user: { cell, type: route.type, loadBalancerARN, rejected: rejections.get(name) },
      }));
    });
  const byGroup = Map.groupBy(users, ({ name }) => name);
  return ({ metadata }) => (byGroup.get(metadata.name) ?? []).map(({ user }) => user);
}

function statusOf(
  verdict: TargetGroupVerdict,
  { metadata, status }: AWSTargetGroup,
  time: string,
): AWSTargetGroupStatus {
  const { holds, reason, message } = verdict;
  const generation = metadata.generation ?? 0;
  const claims = [
    { type: 'Ready', holds, reason, message },
    { type: 'Degraded', holds: holds === 'Unknown' ? holds : !holds, reason, message },
  ];
  const version = status?.version;
  return {
    observedGeneration: generation,
    ...given({ version }),
    conditions: conditionsFrom(claims, status?.conditions ?? [], { generation, time }),
  };
}

/** An AWSTargetGroup with the version that its tags say by now; what could not be asked stays as it was known. */
function withTags(group: AWSTargetGroup, answer: TargetGroupAnswer | undefined): AWSTargetGroup {
  const { metadata, status = {} } = group;
  const version =
    answer?.is === 'Known' && answer.tags.is === 'Known' ? versionIn(answer.tags.tags) : taggedVersion(group);
  const others = omit(status, 'version');
  return { ...group, status: { ...others, observedGeneration: metadata.generation, ...given({ version }) } };
}

const versionIn = (tags: Readonly<Record<string, string>>): string | undefined =>
  VERSION_TAGS.map((key) => (Object.hasOwn(tags, key) ? tags[key] : undefined)).find(
    (value) => value !== undefined && value.trim() !== '',
  );
