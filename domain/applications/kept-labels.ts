import { APPLICATIONS_ANNOTATION, isAskedBy, lackingSecrets, leftSecrets } from './secrets.ts';
import type { ObservedApplication, ObservedRevision, ObservedSecret } from './observation.ts';
import type { Resolved } from './resolved.ts';
import { deletesFirst, failedStill, lastGood, stays, type Hold, type Situation } from './situation.ts';

/** A label of the secret of a cluster by which one application is deployed there, and for which another asks by another value. */
interface KeptLabel {
  readonly key: string;
  /** The application that is deployed by it, and its value. */
  readonly by: string;
  readonly value: string;
  /** The value that the other asks for, and the one by which it is deployed itself. */
  readonly wanted: string;
  readonly had: string | undefined;
  readonly secret: ObservedSecret;
}

/** Why an application must not ask the secrets of its clusters for its labels: one that the Cell no longer has may serve still, and be deployed by other values of them. */
export function keptByRemoved(situation: Situation): string | undefined {
  const { applications } = situation.spec;
  const kept = keptByAny(situation).find(({ by }) => applications.every(({ name }) => name !== by));
  if (kept === undefined) return undefined;
  const { by, secret } = kept;
  return `${clash(kept)}, by which application ${by} is deployed there, though the Cell no longer has it, and ${kept.wanted}. Use another label; or, once nobody needs application ${by}, remove it from the annotation ${APPLICATIONS_ANNOTATION} of Secret ${secret.name}.`;
}

/** Holds an application until the others of the Cell are not deployed any more by other values of its labels. */
export function keptByOthers(situation: Situation): Hold | undefined {
  const kept = keptByAny(situation).find((one) => !isChangedAlike(situation, one));
  if (kept === undefined) return mayReturn(situation);
  const { by, wanted } = kept;
  const circle = circleOf(situation, by);
  const wait =
    circle === undefined
      ? `Waiting until application ${by} is not deployed by it any more, for which spec.parallel has to be true if it comes later; or use another label.`
      : `Every one of the applications ${circle.join(', ')} waits for another to leave, so that none goes first. Have one of them leave its cluster with an edit before, or use another label.`;
  const message = `${clash(kept)}, by which application ${by} is deployed there, and ${wanted}. ${wait}`;
  return { kind: 'Waiting', reason: 'Conflict', message };
}

/** The applications that wait for each other's labels, from this one by another back to it; undefined when that one does not wait for this. */
const circleOf = (situation: Situation, by: string): readonly string[] | undefined =>
  wayBack(situation.application.name, by, (name) => {
    const { resolved } = situation.others.find((one) => one.name === name) ?? {};
    const kept = resolved?.ok === true ? keptLabels(name, resolved.value, situation.secrets) : [];
    return kept
      .filter((one) => !isChangedAlike({ ...situation, application: { name } }, one))
      .map(({ by: one }) => one);
  });

/** The shortest way from one by another back to it, of those that each waits for. */
function wayBack(
  from: string,
  by: string,
  waitsFor: (name: string) => readonly string[],
): readonly string[] | undefined {
  const ways = new Map([[by, [from, by]]]);
  for (const [name, way] of ways) {
    for (const next of new Set(waitsFor(name))) {
      if (next === from) return way;
      if (!ways.has(next)) ways.set(next, [...way, next]);
    }
  }
  return undefined;
}

/**
 * Holds an application that deletes first while another one may go back to a cluster that it has left, by other values of
 * its labels there: it would wait for that without being deployed anywhere. One that waits for this one, maybe by others,
 * is not waited for.
 */
function mayReturn(situation: Situation): Hold | undefined {
  const { application, others, seen, spec } = situation;
  if (spec.parallel !== true) return undefined;
  for (const other of others) {
    const back = returning(situation, seen, other);
    if (back === undefined || wayBack(application.name, other.name, waitsForIn(situation)) !== undefined)
      continue;
    const { cluster, key, had, wanted } = back;
    const message = `Expected the label ${key} of the secret of cluster ${cluster} to have one value, got ${had}, by which application ${other.name} is deployed there again if it goes back, and ${wanted}. Waiting until application ${other.name} is in place; or use another label.`;
    return { kind: 'Waiting', reason: 'Conflict', message };
  }
  return undefined;
}

/** The label by which another application is deployed again where one that deletes first comes, if it goes back. */
function returning(
  { secrets }: Pick<Situation, 'secrets'>,
  { name, resolved }: ObservedApplication,
  other: ObservedApplication,
):
  | { readonly cluster: string; readonly key: string; readonly had: string; readonly wanted: string }
  | undefined {
  const good = goesBackTo(other);
  if (good === undefined || other.name === name || !resolved.ok || !deletesFirst(resolved.value))
    return undefined;
  const { clusters, secretLabels } = resolved.value;
  if (leftSecrets(name, resolved.value, secrets).length === 0) return undefined;
  const cluster = clusters.find(
    ({ secretName }) =>
      good.clusters.some((one) => one.secretName === secretName) &&
      ![name, other.name].some((one) => isAskedBy(secrets, secretName, one)),
  );
  const key = Object.keys(secretLabels).find((one) => differs(one, good, resolved.value));
  if (cluster === undefined || key === undefined) return undefined;
  return { cluster: cluster.name, key, had: good.secretLabels[key] ?? '', wanted: secretLabels[key] ?? '' };
}

/** The applications that each one waits for, by what is asked for and by what it may go back to. */
const waitsForIn =
  ({ others, secrets }: Pick<Situation, 'others' | 'secrets'>) =>
  (name: string): readonly string[] => {
    const seen = others.find((one) => one.name === name);
    if (seen === undefined) return [];
    const good = goesBackTo(seen);
    const asked = [...(good === undefined ? [] : [good]), ...(seen.resolved.ok ? [seen.resolved.value] : [])];
    return [
      ...asked.flatMap((one) => keptLabels(name, one, secrets)).map(({ by }) => by),
      ...others.filter((one) => returning({ secrets }, seen, one) !== undefined).map((one) => one.name),
    ];
  };

/** What an application goes back to that is not in place with what it was to be. */
function goesBackTo({ revisions }: ObservedApplication): Resolved | undefined {
  const good = lastGood(revisions);
  return good === revisions[0] || good?.content.application.argocd === undefined ? undefined : good.content;
}

const differs = (key: string, { secretLabels: one }: Resolved, { secretLabels: other }: Resolved): boolean =>
  Object.hasOwn(one, key) && one[key] !== other[key];

/** Why the secrets of a good revision must not be restored: another application is deployed by other values of its labels by now. */
export function keptFromGood(
  situation: Situation,
  { number, content }: ObservedRevision,
): string | undefined {
  const { application, secrets } = situation;
  if (content.application.argocd === undefined) return undefined;
  const [lacking] = lackingSecrets(application.name, content, secrets);
  const kept = keptLabels(application.name, content, secrets).find(
    (one) => !isChangedAlike(situation, one) && !goesBackAlike(situation, one),
  );
  if (lacking === undefined || kept === undefined) return undefined;
  const { by, wanted } = kept;
  return `${clash(kept)}, by which application ${by} is deployed there, and ${wanted} of revision ${number}. Goes on once application ${by} is not deployed by it any more; or edit the Cell to use another label.`;
}

const clash = ({ key, value, secret }: KeptLabel): string =>
  `Expected the label ${key} of the secret of cluster ${secret.cluster} to have one value, got ${value}`;

/** Whether both ask for the same other value by now, and neither can go first without the other: both are deployed by the label there, or the other waits as well. */
const isChangedAlike = (
  {
    application,
    others,
    secrets,
  }: Pick<Situation, 'others' | 'secrets'> & { readonly application: { readonly name: string } },
  kept: KeptLabel,
): boolean =>
  others.some(
    ({ name, resolved }) =>
      name === kept.by &&
      resolved.ok &&
      isToHave(resolved.value, kept) &&
      (kept.had !== undefined ||
        keptLabels(name, resolved.value, secrets).some(({ by }) => by === application.name)),
  );

/** Whether the other goes back as well, and neither can go first without the other: both to the same value there, or the other leaves and waits as well. */
const goesBackAlike = (situation: Situation, kept: KeptLabel): boolean =>
  situation.others.some(({ name, resolved, revisions }) => {
    const mark = name === kept.by ? situation.marks.find((one) => one.name === name) : undefined;
    const failed = mark === undefined ? undefined : failedStill(mark, resolved);
    const good = lastGood(revisions);
    if (failed === undefined || good === undefined || stays(situation, failed)) return false;
    if (kept.had !== undefined && isToHave(good.content, kept)) return true;
    const isToLeave = good.content.clusters.every(({ secretName }) => secretName !== kept.secret.name);
    const waitsFor = keptLabels(name, good.content, situation.secrets).map(({ by }) => by);
    return isToLeave && waitsFor.includes(situation.application.name);
  });

const isToHave = ({ clusters, secretLabels }: Resolved, { key, wanted, secret }: KeptLabel): boolean =>
  clusters.some(({ secretName }) => secretName === secret.name) && secretLabels[key] === wanted;

/** The labels that an application would take as it is asked for now. */
const keptByAny = ({ application, seen: { resolved }, secrets }: Situation): readonly KeptLabel[] =>
  resolved.ok && application.argocd !== undefined
    ? keptLabels(application.name, resolved.value, secrets)
    : [];

/** The labels that an application would take from others; what it has asked for before it does not take. */
const keptLabels = (
  application: string,
  { clusters, secretLabels }: Resolved,
  secrets: readonly ObservedSecret[],
): readonly KeptLabel[] =>
  secrets
    .filter(({ name }) => clusters.some(({ secretName }) => secretName === name))
    .flatMap((secret) => {
      const { [application]: has = {}, ...asking } = secret.applications;
      return Object.entries(asking).flatMap(([by, labels]) =>
        Object.entries(secretLabels).flatMap(([key, wanted]) => {
          const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
          const had = Object.hasOwn(has, key) ? has[key] : undefined;
          return value === undefined || value === wanted || had === wanted
            ? []
            : [{ key, by, value, wanted, had, secret }];
        }),
      );
    });
