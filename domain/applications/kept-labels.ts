import { APPLICATIONS_ANNOTATION } from './secrets.ts';
import type { ObservedSecret } from './observation.ts';
import type { Hold, Situation } from './situation.ts';

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
  const kept = keptLabel(situation, ({ by }) => applications.every(({ name }) => name !== by));
  if (kept === undefined) return undefined;
  const { by, secret } = kept;
  return `${clash(kept)}, by which application ${by} is deployed there, though the Cell no longer has it, and ${kept.wanted}. Use another label; or, once nobody needs application ${by}, remove it from the annotation ${APPLICATIONS_ANNOTATION} of Secret ${secret.name}.`;
}

/** Holds an application until the others of the Cell are not deployed any more by other values of its labels. */
export function keptByOthers(situation: Situation): Hold | undefined {
  const kept = keptLabel(situation, (one) => !isChangedAlike(situation, one));
  if (kept === undefined) return undefined;
  const { by, wanted } = kept;
  const message = `${clash(kept)}, by which application ${by} is deployed there, and ${wanted}. Waiting until application ${by} is not deployed by it any more, for which spec.parallel has to be true if it comes later; or use another label.`;
  return { kind: 'Waiting', reason: 'Conflict', message };
}

const clash = ({ key, value, secret }: KeptLabel): string =>
  `Expected the label ${key} of the secret of cluster ${secret.cluster} to have one value, got ${value}`;

/** Whether both are deployed by one value and ask for the same other one by now, so that neither can go first without the other. */
const isChangedAlike = ({ others }: Situation, { key, by, value, wanted, had, secret }: KeptLabel): boolean =>
  had === value &&
  others.some(
    ({ name, resolved }) =>
      name === by &&
      resolved.ok &&
      resolved.value.clusters.some(({ secretName }) => secretName === secret.name) &&
      resolved.value.secretLabels[key] === wanted,
  );

/** The first label that an application would take; what it has asked for before it does not take. */
function keptLabel(
  { application, seen: { resolved }, secrets }: Situation,
  isKept: (one: KeptLabel) => boolean,
): KeptLabel | undefined {
  if (!resolved.ok || application.argocd === undefined) return undefined;
  const { clusters, secretLabels } = resolved.value;
  return secrets
    .filter(({ name }) => clusters.some(({ secretName }) => secretName === name))
    .flatMap((secret) => {
      const { [application.name]: has = {}, ...asking } = secret.applications;
      return Object.entries(asking).flatMap(([by, labels]) =>
        Object.entries(secretLabels).flatMap(([key, wanted]) => {
          const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
          const had = Object.hasOwn(has, key) ? has[key] : undefined;
          return value === undefined || value === wanted || had === wanted
            ? []
            : [{ key, by, value, wanted, had, secret }];
        }),
      );
    })
    .find(isKept);
}
