/** What reading a field came to. */
export type FieldValue =
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly problem: string };

/** Reads a plain value of an object by a path such as `status.desiredVersion` or `spec.steps[0].name`. */
export function readField(object: unknown, path: string): FieldValue {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
  let value: unknown = object;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      return {
        ok: false,
        problem: `Expected fieldPath to name a field of the Cell, got ${path}: there is no ${key}.`,
      };
    }
    value = Reflect.get(value, key);
  }
  if (typeof value === 'string') return { ok: true, value };
  if (typeof value === 'number' || typeof value === 'boolean') return { ok: true, value: String(value) };
  return { ok: false, problem: `Expected fieldPath to end in a plain value, got ${path}, which does not.` };
}
