import type { ObservedChild, ObservedRevision } from './observation.ts';
import { servedBy } from './revisions.ts';
import type { LeftSecret } from './secrets.ts';
import { stopped, type Judgement, type Mark, type Situation } from './situation.ts';

/** Keeps secrets of clusters that the Cell of the application sends traffic to: a revision without `alb` takes none of it elsewhere. */
export function stillServing(
  { seen: { child, revisions } }: Situation,
  mark: Mark,
  { revision, left }: { readonly revision: ObservedRevision; readonly left: readonly LeftSecret[] },
): Judgement | undefined {
  if (child === undefined || revision.content.application.alb !== undefined) return undefined;
  const served = servedOf(child, revisions);
  const serving = left.filter(({ name }) => served?.includes(name) ?? true);
  if (serving.length === 0) return undefined;
  const message = `Expected no traffic for ${serving.map(({ cluster }) => cluster).join(', ')} before the secrets go, got Cell ${child.name}, which sends it there, and revision ${revision.number} without alb, which takes it nowhere else. Delete that Cell once nobody needs its rule, or edit the application to have alb.`;
  return stopped(mark, 'StillServing', message);
}

/** The secrets of the clusters that a Cell sends traffic to: those of the revision that it is to serve, and of what it served before that; undefined: nobody knows. */
function servedOf(
  { revision, status: { stableVersion } }: ObservedChild,
  revisions: readonly ObservedRevision[],
): readonly string[] | undefined {
  const wanted = revisions.find(({ number }) => number === revision);
  const before = servedBy(revisions, stableVersion);
  if (wanted === undefined || (stableVersion !== undefined && before.length === 0)) return undefined;
  return [wanted, ...before].flatMap(({ content }) => content.clusters.map(({ secretName }) => secretName));
}
