import type { AWSTargetGroup, AWSTargetGroupStatus } from '../../crds/aws-target-group.ts';
import type { Cell } from '../../crds/cell.ts';
import { canonical } from '../canonical.ts';
import { conditionsFrom } from '../conditions.ts';
import { loadBalancerARNOf, routeOf } from '../load-balancer.ts';
import {
  judgeKnown,
  notFound,
  unasked,
  type TargetGroupAnswer,
  type TargetGroupUser,
  type TargetGroupVerdict,
} from './target-group-verdict.ts';
import { unreachable } from '../unreachable.ts';
import { byName } from '../version.ts';
import { selectTargetGroups } from '../watched.ts';

/** What a check of the AWSTargetGroups of a namespace is made of; objects are as the API server returned them. */
export interface ObservedTargetGroups {
  readonly groups: readonly AWSTargetGroup[];
  readonly cells: readonly Cell[];
  /** What AWS answered, by ARN. */
  readonly answers: ReadonlyMap<string, TargetGroupAnswer>;
  /** When that was. */
  readonly time: string;
}

/** A status that is to be written. */
export interface TargetGroupReport {
  readonly name: string;
  readonly uid: string;
  readonly status: AWSTargetGroupStatus;
}

/** Says what is to be written of the AWSTargetGroups of a namespace: what is new, and of those that stay. */
export function checkTargetGroups(observed: ObservedTargetGroups): readonly TargetGroupReport[] {
  return observed.groups.filter(stays).flatMap((group) => {
    const verdict = judge(group, observed);
    if (verdict === undefined) return [];
    const { lastSyncTime: _then, ...before } = group.status ?? {};
    const status = statusOf(verdict, group, observed.time);
    if (canonical(status) === canonical(before)) return [];
    return [{ name: group.metadata.name, uid: group.metadata.uid ?? '', status }];
  });
}

/** Whether an object is not being deleted. */
export const stays = ({ metadata }: Pick<AWSTargetGroup | Cell, 'metadata'>): boolean =>
  metadata.deletionTimestamp === undefined;

/** Judges a target group; undefined when what was said of it before still is all there is to say. */
function judge(
  group: AWSTargetGroup,
  { cells, answers }: ObservedTargetGroups,
): TargetGroupVerdict | undefined {
  const answer = answers.get(group.spec.arn);
  switch (answer?.is) {
    case undefined:
      return undefined;
    case 'Unasked':
      return isJudged(group) ? undefined : unasked(group, answer);
    case 'NotFound':
      return notFound(group);
    case 'Known':
      return judgeKnown(group, answer, usersOf(group, cells));
    default:
      return unreachable(answer);
  }
}

/** Whether the conditions are about this ARN, and not about one that was corrected since. */
const isJudged = ({ metadata, status }: AWSTargetGroup): boolean =>
  (status?.conditions ?? []).length > 0 && status?.observedGeneration === metadata.generation;

function usersOf(group: AWSTargetGroup, cells: readonly Cell[]): readonly TargetGroupUser[] {
  return cells
    .filter((cell) => stays(cell) && selectTargetGroups(cell.spec, [group]).length > 0)
    .toSorted((a, b) => byName(a.metadata, b.metadata))
    .flatMap((cell) => {
      const route = routeOf(cell.spec);
      if (route === undefined) return [];
      return [{ cell, type: route.type, loadBalancerARN: loadBalancerARNOf(route.listenerARN) }];
    });
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
  return {
    observedGeneration: generation,
    conditions: conditionsFrom(claims, status?.conditions ?? [], { generation, time }),
  };
}
