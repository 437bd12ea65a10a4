import { compareText, canonical } from '../kubernetes/canonical.ts';
import { GENERATED_ANNOTATION } from '../kubernetes/labels.ts';

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
type JsonObject = { readonly [key: string]: Json };

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
