import type { ApplicationAction } from './decision.ts';
import { lingering, stillThere } from './deployments.ts';
import type { ObservedChild, ObservedRevision, Resolved } from './observation.ts';
import { servedBy } from './revisions.ts';
import { leftSecrets, unusedSecrets } from './secrets.ts';
import { stopped, wait, type Judgement, type Mark, type Situation } from './situation.ts';

/** What of a revision says which clusters stay. */
interface Staying {
  readonly number: number;
  readonly content: Pick<Resolved, 'clusters' | 'application'>;
}

type Act = (action: ApplicationAction, message: string) => Judgement;

/**
 * Takes the clusters that a revision does not have from Argo CD: their labels first, so that it deletes what it has deployed
 * there, and the secrets last. Without the secret of its cluster, it would delete an Application and leave running what that has deployed.
 */
export function leave(situation: Situation, mark: Mark, staying: Staying, act: Act): Judgement | undefined {
  const { application } = situation;
  const left = leftSecrets(application.name, staying.content, situation.secrets);
  if (left.length > 0) {
    const message = `Taking the labels of ${application.name} from the secrets ${left.join(', ')}.`;
    return (
      stillServing(situation, mark, { staying, left }) ??
      act({ do: 'RemoveLabels', number: staying.number }, message)
    );
  }
  const lingers = lingering(situation, staying);
  return lingers === undefined
    ? deleteUnused(situation, mark, staying.content, act)
    : wait(mark, 'WaitingForApplicationSet', lingers);
}

/** Deletes the secrets that no application of the Cell asks for, of other clusters than these, once no Application is left there. */
export function deleteUnused(
  { application, marks, secrets }: Situation,
  mark: Mark,
  clusters: Pick<Resolved, 'clusters'>,
  act: Act,
): Judgement | undefined {
  // What another application is leaving is for that one to delete.
  if (marks.some(({ name, phase }) => name === application.name && phase === 'Synced')) return undefined;
  const unused = unusedSecrets(secrets, clusters);
  const gone = unused.filter(({ leftApplication }) => leftApplication === undefined);
  if (gone.length > 0) {
    const names = gone.map(({ name }) => name).join(', ');
    return act({ do: 'DeleteSecrets' }, `Deleting the secrets ${names}, where nothing is left.`);
  }
  const [used] = unused;
  return used === undefined
    ? undefined
    : wait(mark, 'WaitingForApplicationSet', stillThere(`Application ${used.leftApplication}`, used.name));
}

/** Keeps secrets of clusters that the Cell of the application sends traffic to: a revision without `alb` takes none of it elsewhere. */
function stillServing(
  { seen: { child, revisions } }: Situation,
  mark: Mark,
  { staying, left }: { readonly staying: Staying; readonly left: readonly string[] },
): Judgement | undefined {
  if (child === undefined || staying.content.application.alb !== undefined) return undefined;
  const served = servedOf(child, revisions);
  const serving = left.filter((name) => served?.includes(name) ?? true);
  if (serving.length === 0) return undefined;
  const message = `Expected no traffic for ${serving.join(', ')} before the secrets go, got Cell ${child.name}, which sends it there, and revision ${staying.number} without alb, which takes it nowhere else. Delete that Cell once nobody needs its rule, or edit the application to have alb.`;
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
