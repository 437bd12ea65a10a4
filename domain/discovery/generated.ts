import { compareText } from '../kubernetes/canonical.ts';
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
