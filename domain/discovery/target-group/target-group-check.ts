import { given, omit } from '../../model/fields.ts';
import type { AWSTargetGroup, AWSTargetGroupStatus } from '../../../crds/aws-target-group.ts';
import type { Cell, WrittenCellSpec } from '../../../crds/cell.ts';
import { saysTheSame } from '../sync-status.ts';
import { conditionsFrom } from '../../kubernetes/conditions.ts';
import { loadBalancerKind, routeOf } from '../../load-balancers/load-balancer.ts';
import {
  type TargetGroupAnswer,
  type TagsAnswer,
  judgeKnown,
  notFound,
  unasked,
  type TargetGroupUser,
  type TargetGroupVerdict,
} from './target-group-verdict.ts';
import { unreachable } from '../../unreachable.ts';
import { byName, groupByVersion } from '../../versions/version.ts';
import { selectTargetGroups } from '../../versions/watched.ts';
import { VERSION_TAGS } from '../../kubernetes/labels.ts';
import { taggedVersion } from '../../versions/version-label.ts';

/** What a check of the AWSTargetGroups of a namespace is made of; objects are as the API server returned them. */
interface ObservedTargetGroups {
  readonly groups: readonly AWSTargetGroup[];
  readonly cells: readonly SelectingCell[];
  /** What AWS answered, by ARN. */
  readonly answers: ReadonlyMap<string, TargetGroupAnswer>;
  /** When that was. */
  readonly time: string;
}

/** What of a Cell says which target groups it takes, and where to. */
export interface SelectingCell {
  readonly metadata: Pick<Cell['metadata'], 'name' | 'deletionTimestamp'>;
  readonly spec: Pick<WrittenCellSpec, 'ingress' | 'versionedBy'>;
}

/** A status that is to be written. */
export interface TargetGroupReport {
  readonly name: string;
  readonly uid: string;
  /** The version of the object that it is about. */
  readonly resourceVersion: string | undefined;
  readonly status: AWSTargetGroupStatus;
}

/** Says what is to be written of the AWSTargetGroups of a namespace: what is new, and of those that stay. */
export function checkTargetGroups(observed: ObservedTargetGroups): readonly TargetGroupReport[] {
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
      return isJudged(group) ? undefined : unasked(group, answer);
    case 'NotFound':
      return notFound(group);
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

/** Says of each target group which Cells select it, by name, and whether each can use it. */
function usersIn(
  groups: readonly AWSTargetGroup[],
  cells: readonly SelectingCell[],
): (group: AWSTargetGroup) => readonly TargetGroupUser[] {
  const users = new Map<string, TargetGroupUser[]>();
  for (const cell of cells.filter(stays).toSorted((a, b) => byName(a.metadata, b.metadata))) {
    const route = routeOf(cell.spec);
    if (route === undefined) continue;
    const user = {
      cell,
      type: route.type,
      loadBalancerARN: loadBalancerKind(route.type).loadBalancerARNOf(route),
    };
    const selected = selectTargetGroups(cell.spec, groups);
    const rejections = new Map(groupByVersion(selected).rejected.map((one) => [one.name, one]));
    for (const { name } of selected) {
      users.set(name, [...(users.get(name) ?? []), { ...user, rejected: rejections.get(name) }]);
    }
  }
  return ({ metadata }) => users.get(metadata.name) ?? [];
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
export function withTags(group: AWSTargetGroup, answer: TargetGroupAnswer | undefined): AWSTargetGroup {
  const { metadata, status = {} } = group;
  const version = isToldOfTags(answer) ? versionIn(answer) : taggedVersion(group);
  const others = omit(status, 'version');
  return { ...group, status: { ...others, observedGeneration: metadata.generation, ...given({ version }) } };
}

/** Whether an answer says what the tags are. */
const isToldOfTags = (answer: TargetGroupAnswer | undefined): answer is Told =>
  answer?.is === 'Known' && answer.tags.is === 'Known';

type Told = TargetGroupAnswer & { readonly tags: TagsAnswer & { readonly is: 'Known' } };

/** The version of the first tag that is not empty. */
const versionIn = ({ tags: { tags } }: Told): string | undefined =>
  VERSION_TAGS.map((key) => (Object.hasOwn(tags, key) ? tags[key] : undefined)).find(
    (value) => value !== undefined && value.trim() !== '',
  );
