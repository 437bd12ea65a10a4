import { decodeBase64 } from './base64.ts';

/** Fields of a secret, and the path under which people know them. */
export interface Fields {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Says what was expected of a secret; never with a value out of it. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Reads a text; an empty one counts as unset, as in Argo CD. */
export function textOf({ path, values }: Fields, key: string): string | undefined {
  const value = values[key] ?? '';
  if (typeof value !== 'string') throw new Refused(`${path}.${key} to be a text, got ${typeName(value)}.`);
  return value === '' ? undefined : value;
}

/** Reads a list of texts; none is an empty one. */
export function listOf({ path, values }: Fields, key: string): readonly string[] {
  const value = values[key] ?? [];
  if (Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return value;
  throw new Refused(`${path}.${key} to be a list of texts, got something else.`);
}

/** Reads an object with fields of its own. */
export function partOf({ path, values }: Fields, key: string): Fields | undefined {
  const value = values[key] ?? undefined;
  if (value === undefined) return undefined;
  if (isRecord(value)) return { path: `${path}.${key}`, values: value };
  throw new Refused(`${path}.${key} to be an object, got ${typeName(value)}.`);
}

/** Reads PEM that is encoded in base64 once more, and leaves it so. */
export function pemOf(from: Fields, key: string, what: 'CERTIFICATE' | 'PRIVATE KEY'): string | undefined {
  const value = textOf(from, key);
  if (value === undefined) return undefined;
  const begins =
    what === 'CERTIFICATE' ? /-----BEGIN CERTIFICATE-----/ : /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
  if (begins.test(decodeBase64(value) ?? '')) return value;
  throw new Refused(`${from.path}.${key} to be a PEM ${what.toLowerCase()} in base64, got something else.`);
}

/** Reads JSON with fields. */
export function parseFields(path: string, json: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // What the parser says would quote the text.
    throw new Refused(`${path} to be JSON, got something else.`);
  }
  if (isRecord(value)) return { path, values: value };
  throw new Refused(`${path} to be a JSON object, got ${typeName(value)}.`);
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'nothing';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
