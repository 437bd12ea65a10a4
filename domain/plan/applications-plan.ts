import type { ApplicationOfCell } from '../../crds/application.ts';
import type { ApplicationsSpec } from '../../crds/cell.ts';
import { childOf } from '../applications/child.ts';
import type { ObservedApplication, ObservedRevision, ResolvedCluster } from '../applications/observation.ts';
import { newRevision } from '../applications/revisions.ts';
import { failedStill, lastGood, type Mark } from '../applications/situation.ts';
import { namesOf } from '../text.ts';
import { VERSION_LABEL } from '../kubernetes/labels.ts';
import type { ObjectKey } from '../model/ids.ts';
import type { ObservedCell } from '../model/observation.ts';
import { omit } from '../model/fields.ts';
import { planCell, type CellPlan } from './plan.ts';

/** A Cell with applications, as Kubernetes alone shows it. */
export interface ApplicationsAsSeen {
  readonly key: ObjectKey;
  readonly spec: ApplicationsSpec;
  readonly applications: readonly ApplicationAsSeen[];
}

interface ApplicationAsSeen extends Pick<ObservedApplication, 'resolved' | 'revisions'> {
  readonly application: ApplicationOfCell;
  readonly mark: Mark | undefined;
  /** Its Cell, which may not be there yet. */
  readonly child: ObservedCell;
}

export interface ApplicationPlan {
  readonly name: string;
  readonly revision?: number;
  /** In sentences, what is done before its traffic moves, and afterwards; nothing where it is in place. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** What the Cell of the application does; undefined without `alb`. */
  readonly traffic?: CellPlan;
  readonly problems: readonly string[];
}

/** Plans what each application of a Cell comes to, and how its traffic moves there, with clusters and Argo CD at hand. */
export const planApplications = (seen: ApplicationsAsSeen, now: number): readonly ApplicationPlan[] =>
  seen.applications.map((one) => planApplication(one, seen, now));

function planApplication(
  { application, resolved, revisions, mark, child }: ApplicationAsSeen,
  { key, spec }: ApplicationsAsSeen,
  now: number,
): ApplicationPlan {
  const { name } = application;
  const nothing = { name, before: [], after: [], problems: [] };
  if (!resolved.ok)
    return { ...nothing, problems: resolved.problems.map((problem) => `${name}: ${problem}`) };
  const failed = mark && failedStill(mark, resolved);
  if (failed !== undefined)
    return { ...nothing, problems: [`${name}: ${failed.message} Edit the Cell, or send retry.`] };
  const [newest] = revisions;
  const revision = newest?.hash === resolved.hash ? newest : newRevision(resolved, revisions, mark);
  const good = lastGood(revisions);
  const own = childOf({ key, spec }, revision);
  const planned = revision.isGood && child.cell !== undefined ? child : own && withRevision(child, own, good);
  const traffic = planned && planCell(planned, { now, assume: [] });
  const done = revision.isGood
    ? { before: [], after: [] }
    : around(application, resolved.value.clusters, good);
  const isMoving =
    mark?.revision === revision.number && (mark.phase === 'Migrating' || mark.phase === 'Completing');
  return {
    name,
    revision: revision.number,
    before: isMoving ? [] : done.before,
    after: done.after,
    ...(traffic && { traffic }),
    problems: traffic?.problems ?? [],
  };
}

/** What is done before the traffic of a new revision moves, and afterwards. */
function around(
  { alb, argocd, prechecks, checks, postchecks }: ApplicationOfCell,
  wanted: readonly ResolvedCluster[],
  good: ObservedRevision | undefined,
) {
  const had = good?.content.application.argocd === undefined ? [] : good.content.clusters;
  const gets = argocd === undefined ? [] : without(wanted, had);
  const deploys = gets.length === 0 ? [] : [`Argo CD gets ${namesOf(gets)}.`];
  const loses = without(had, wanted);
  const removes = loses.length === 0 ? [] : [`Argo CD loses ${namesOf(loses)}.`];
  const isFirst = argocd?.updateStrategy?.type === 'DeleteBeforeCreate';
  return {
    before: [...measured('prechecks', prechecks), ...(isFirst ? removes : []), ...deploys],
    after: [
      ...(alb === undefined ? measured('checks', checks) : []),
      ...measured('postchecks', postchecks),
      ...(isFirst ? [] : removes),
    ],
  };
}

const without = (clusters: readonly ResolvedCluster[], others: readonly ResolvedCluster[]) =>
  clusters.filter(({ secretName }) => others.every((one) => one.secretName !== secretName));

const measured = (stage: string, checks: readonly { readonly name: string }[] = []): readonly string[] =>
  checks.length === 0 ? [] : [`The ${stage} run: ${namesOf(checks)}.`];

/** The Cell of an application once it is to serve another revision; the target groups of the good one stay. */
function withRevision(
  { cell, selected, ...others }: ObservedCell,
  { spec, targetGroups }: NonNullable<ReturnType<typeof childOf>>,
  good: ObservedRevision | undefined,
): ObservedCell {
  const groups = targetGroups.map(({ labels, ...one }) => ({ ...one, version: labels[VERSION_LABEL] ?? '' }));
  const kept = selected.filter(
    ({ arn }) =>
      good?.content.targetGroups.some((one) => one.arn === arn) === true &&
      !groups.some((one) => one.arn === arn),
  );
  const { status = {}, generation = 0, uid = 'planned' } = cell ?? {};
  return {
    // The plan assumes that clusters are ready, and earlier applications are in place by then.
    ...omit(others, 'waitsFor', 'behind'),
    cell: { uid, generation: generation + 1, spec, status, problems: [] },
    selected: [...kept, ...groups],
  };
}
