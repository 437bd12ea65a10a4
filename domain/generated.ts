import { compareText } from './canonical.ts';
import { GENERATED_ANNOTATION } from './labels.ts';

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
