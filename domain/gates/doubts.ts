import type { CellStatus } from '../../crds/cell.ts';
import type { Definition } from '../kubernetes/definition.ts';
import type { SelectedTargetGroup, TargetGroup } from '../model/target-group.ts';

/** The kinds of which a Cell has to know all objects: they say what it may serve, and what holds it. */
export type DecisiveKind = 'AWSTargetGroup' | 'Freeze' | 'AccessPolicy';

/**
 * A kind of which objects may be missing. When its definition is deleted, the API server deletes all of its objects, one after
 * another; when it is installed again, it takes a while until they are restored.
 */
export interface DoubtfulKind {
  readonly kind: DecisiveKind;
  /** When the definition was created, a short time ago, in milliseconds since the epoch; undefined: there is none, or it is being deleted. */
  readonly made?: { readonly at: number; readonly awaitedUntil: number };
  /** In how many milliseconds to look again. */
  readonly againInMs: number;
  /** Of AWSTargetGroups: the served target groups that none of them names. */
  readonly unnamed?: readonly TargetGroup[];
}

/** How often to look whether a definition is there again, in milliseconds. */
const AGAIN_MS = 60_000;

/** The kinds of which objects may be missing. */
export const doubtfulKinds = (
  definitions: Readonly<Partial<Record<DecisiveKind, Definition>>>,
  { now, graceSeconds }: { readonly now: number; readonly graceSeconds: number },
): readonly DoubtfulKind[] =>
  (['AWSTargetGroup', 'Freeze', 'AccessPolicy'] as const).flatMap((kind): DoubtfulKind[] => {
    const { isThere = true, since = '' } = definitions[kind] ?? {};
    if (!isThere) return [{ kind, againInMs: AGAIN_MS }];
    const at = Date.parse(since);
    // By the clock of the API server, which may be a little ahead.
    if (!(Math.abs(now - at) < graceSeconds * 1000)) return [];
    const awaitedUntil = at + graceSeconds * 1000;
    return [{ kind, made: { at, awaitedUntil }, againInMs: Math.max(1000, awaitedUntil - now) }];
  });

/** The doubtful kinds that matter for a Cell: of AWSTargetGroups, only target groups that are served can be missing. */
export const doubtsOf = (
  kinds: readonly DoubtfulKind[],
  status: CellStatus,
  { inRule, named }: { readonly inRule: readonly TargetGroup[]; readonly named: ReadonlySet<string> },
): readonly DoubtfulKind[] =>
  kinds.flatMap((one) => {
    if (!matters(one, status)) return [];
    if (one.kind !== 'AWSTargetGroup') return [one];
    // Where no object says what is served, it may still be what was.
    const served = inRule.length > 0 ? inRule : (status.targetGroups ?? []);
    const unnamed = served
      .filter(({ arn }, index) => !named.has(arn) && served.findIndex((other) => other.arn === arn) === index)
      .map(({ name, arn }) => ({ name, arn }));
    return unnamed.length > 0 || inRule.length === 0 ? [{ ...one, unnamed }] : [];
  });

/** What stands for the AWSTargetGroups that are missing, so that going back is to all that served. */
export const standIns = (
  doubts: readonly DoubtfulKind[],
  status: CellStatus,
): readonly SelectedTargetGroup[] =>
  doubts
    .flatMap(({ unnamed = [] }) => unnamed)
    .flatMap(({ name, arn }) => {
      const version = status.targetGroups?.find((one) => one.arn === arn)?.version;
      return version === undefined ? [] : [{ name, arn, version }];
    });

/** Whether objects may be missing for a Cell: not for one that has served nothing before the definition was created. */
export const matters = ({ made }: DoubtfulKind, { history = [] }: CellStatus): boolean => {
  const first = history.at(-1);
  return made === undefined || first?.outcome !== 'Installed' || Date.parse(first.startedAt) < made.at;
};
