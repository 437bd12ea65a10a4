/** What reading a field came to. */
export type FieldValue =
  { readonly ok: true; readonly value: string } | { readonly ok: false; readonly problem: string };

// A name, an index such as [0], or a key in quotes such as ['example.com/team'].
const KEY = String.raw`[^.[\]'"]+|\[(?:\d+|'[^']*'|"[^"]*")\]`;
// Read one after the other: an expression for the whole path would try every way to split a long one.
const NEXT = new RegExp(String.raw`(\.?)(${KEY})`, 'y');

/** The keys of a path, one after the other; undefined when it is none. */
export function keysOf(path: string): readonly string[] | undefined {
  const keys: string[] = [];
  const next = new RegExp(NEXT);
  while (next.lastIndex < path.length) {
    const [, dot = '', key] = next.exec(path) ?? [];
    if (key === undefined || (dot !== '' && keys.length === 0)) return undefined;
    keys.push(key.replace(/^\[['"]?|['"]?\]$/g, ''));
  }
  return keys.length === 0 ? undefined : keys;
}

/** Reads a plain value by a path such as `spec.steps[0].name` or `metadata.labels['a.com/team']`. */
export function readField(object: unknown, path: string): FieldValue {
  const keys = keysOf(path);
  if (keys === undefined) {
    const problem = `invalid fieldPath ${path}: must be a path such as status.desiredVersion or metadata.labels['team'].`;
    return { ok: false, problem };
  }
  let value: unknown = object;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) {
      const problem = `invalid fieldPath ${path}: a Cell has no ${key}. Correct it.`;
      return { ok: false, problem };
    }
    value = Reflect.get(value, key);
  }
  if (typeof value === 'string') return { ok: true, value };
  if (typeof value === 'number' || typeof value === 'boolean') return { ok: true, value: String(value) };
  const what = Array.isArray(value) ? 'a list' : value === null ? 'nothing' : 'an object';
  return {
    ok: false,
    problem: `invalid fieldPath ${path}: it is ${what}, and must be a plain value. Name a field in it.`,
  };
}
