import { isRecord, type Fields } from '../model/fields.ts';

/** An object in the form of now, and what means something else there than it did. */
export interface Converted {
  readonly object: Fields;
  readonly warnings: readonly string[];
}

/** Changes an object and adds to the warnings. */
export type Conversion = (before: Converted) => Converted;

/** Does one conversion after the other. */
export const inOrder =
  (...conversions: readonly Conversion[]): Conversion =>
  (before) =>
    conversions.reduce((converted, convert) => convert(converted), before);

/** Adds a warning. */
export const warned = (before: Converted, ...warnings: readonly string[]): Converted => ({
  ...before,
  warnings: [...before.warnings, ...warnings],
});

/** The value at a path; undefined when there is none. */
export const at = (object: Fields, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), object);

/** The object with another value at a path; undefined removes it. What is on the way is made. */
export function withValue(object: Fields, path: readonly string[], value: unknown): Fields {
  const [key, ...rest] = path;
  if (key === undefined) return object;
  const { [key]: before, ...others } = object;
  if (rest.length === 0) return value === undefined ? others : { ...object, [key]: value };
  return { ...object, [key]: withValue(isRecord(before) ? before : {}, rest, value) };
}

/** Moves a value from one path to another. */
export const moved = (object: Fields, from: readonly string[], to: readonly string[]): Fields =>
  withValue(withValue(object, from, undefined), to, at(object, ...from));
