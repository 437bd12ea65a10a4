import { canonical } from '../kubernetes/canonical.ts';

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
