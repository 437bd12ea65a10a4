import { compareText, canonical } from '../kubernetes/canonical.ts';
import { GENERATED_ANNOTATION, SOURCE_ANNOTATION } from '../kubernetes/labels.ts';

/** An object that a set has made, and whose it is. */
export interface Owned {
  readonly name: string;
  /** The uid and name of its controller, or of who has inherited it; undefined when it is nobody's. */
  readonly owner?: { readonly uid: string; readonly name: string; readonly kind: string } | undefined;
  /** The uids of its other owners: Kubernetes deletes it with the last, and the next one has it. */
  readonly heirs?: readonly string[];
  /** Whether its controller is gone, and its owner is not that yet. */
  readonly isInherited?: boolean;
}

/** What a set does to the objects of one kind; those that are handed over by their names. */
export interface Changes<Wanted> {
  readonly create: readonly Wanted[];
  readonly update: readonly Wanted[];
  readonly delete: readonly { readonly name: string; readonly uid: string }[];
  /** What this set wants and another one has: it becomes one of the owners, and has it when that goes. */
  readonly claim: readonly string[];
  /** What this set has made and does not want any more, and another one claims, which has it then. */
  readonly release: readonly string[];
}

/** Whether another set waits for an object. */
export const hasHeirs = ({ heirs = [] }: Pick<Owned, 'heirs'>): boolean => heirs.length > 0;

/** Says which of these objects a set has to claim: those that another set of its kind has. */
export const selectClaims = (
  wanted: readonly Owned[],
  { uid, kind }: { readonly uid: string; readonly kind: string },
): readonly string[] =>
  wanted
    .filter(({ owner }) => owner?.kind === kind && owner.uid !== uid)
    .filter(({ heirs = [] }) => !heirs.includes(uid))
    .map(({ name }) => name);

/** An object that a set has made, as it is now. */
export interface Existing extends Owned, Marks {
  readonly uid: string;
}

/** Says which of the wanted objects to make and to change; what else is the same, `isSame` says. */
export function compareGenerated<Wanted extends Marks & { readonly name: string }, Found extends Existing>(
  wanted: readonly Wanted[],
  own: readonly Found[],
  isSame: (found: Found, wanted: Wanted) => boolean,
): Pick<Changes<Wanted>, 'create' | 'update'> {
  const found = new Map(own.map((one) => [one.name, one]));
  return {
    create: wanted.filter(({ name }) => !found.has(name)),
    update: wanted.filter((one) => {
      const before = found.get(one.name);
      return (
        before !== undefined &&
        (before.isInherited === true || !(hasMarks(before, one) && isSame(before, one)))
      );
    }),
  };
}

/** Says what becomes of objects that a set wants no more: those that another one claims are left to it, the others go. */
export const letGo = (leaving: readonly Existing[]): Pick<Changes<never>, 'delete' | 'release'> => ({
  delete: leaving.filter((one) => !hasHeirs(one)).map(({ name, uid }) => ({ name, uid })),
  release: leaving.filter(hasHeirs).map(({ name }) => name),
});

type Sourced = Owned & Pick<Marks, 'annotations'>;

/** Says which AWSTargetGroups are made of what a set asks for, and which are made of the bindings that it waits for. */
export function selectDesiredGroups<Group extends Sourced & { readonly arn: string }>(
  groups: readonly Group[],
  {
    uid,
    asking,
    bindings,
  }: {
    readonly uid: string;
    readonly asking: readonly { readonly source: string; readonly arn: string }[];
    readonly bindings: readonly Sourced[];
  },
): readonly Group[] {
  const arns = new Map(asking.map(({ source, arn }) => [source, arn]));
  const awaited = new Set(bindings.map((one) => one.annotations[SOURCE_ANNOTATION]));
  const sourceOf = (group: Group): string => group.annotations[SOURCE_ANNOTATION] ?? '';
  // One that has a group of its own for it needs no other.
  const own = new Set(groups.filter(({ owner }) => owner?.uid === uid).map(sourceOf));
  return groups
    .filter((group) => !own.has(sourceOf(group)))
    .filter((group) => arns.get(sourceOf(group)) === group.arn || awaited.has(sourceOf(group)));
}

type Texts = Readonly<Record<string, string>>;

/** The labels and annotations of an object. */
export interface Marks {
  readonly labels: Texts;
  readonly annotations: Texts;
}

/** Adds the annotation that names what is generated, so that what a template no longer says is noticed. */
export function withGenerated({ labels, annotations }: Marks): Marks {
  const keys = [labels, annotations].map((texts) => Object.keys(texts).toSorted(compareText).join(','));
  return { labels, annotations: { ...annotations, [GENERATED_ANNOTATION]: keys.join(';') } };
}

/** Whether an object has all labels and annotations that it is to have, and none that were generated before. */
export const hasMarks = (found: Marks, wanted: Marks): boolean =>
  hasAll(found.labels, wanted.labels) && hasAll(found.annotations, wanted.annotations);

const hasAll = (found: Texts, wanted: Texts): boolean =>
  Object.entries(wanted).every(([key, value]) => Object.hasOwn(found, key) && found[key] === value);

type Patch = Readonly<Record<string, string | null>>;

/** What changes the marks of an object to those wanted, as a JSON merge patch: what was generated before and is not wanted any more goes, what others have added stays. */
export function patchMarks(
  found: Marks,
  wanted: Marks,
): { readonly labels: Patch; readonly annotations: Patch } {
  const [labels = '', annotations = ''] = (found.annotations[GENERATED_ANNOTATION] ?? '').split(';');
  return {
    labels: { ...without(labels), ...wanted.labels },
    annotations: { ...without(annotations), ...wanted.annotations },
  };
}

const without = (keys: string): Patch =>
  Object.fromEntries(
    keys
      .split(',')
      .filter((key) => key !== '')
      .map((key) => [key, null]),
  );

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
/** An object in JSON. */
export type JsonObject = { readonly [key: string]: Json };

/** The JSON merge patch (RFC 7386) that turns one object into another; what is not in the other is removed. */
export function mergePatch(before: JsonObject, wanted: JsonObject): JsonObject {
  const gone = Object.keys(before)
    .filter((key) => !Object.hasOwn(wanted, key))
    .map((key) => [key, null] as const);
  const changed = Object.entries(wanted).flatMap(([key, value]) => {
    const old = before[key];
    if (old !== undefined && canonical(old) === canonical(value)) return [];
    return [[key, isObject(old) && isObject(value) ? mergePatch(old, value) : value] as const];
  });
  return Object.fromEntries([...gone, ...changed]);
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
