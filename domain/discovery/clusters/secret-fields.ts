import { isRecord } from '../../model/fields.ts';

/** Decodes base64 to text; undefined when it is none. What does so stands in clients/, as JavaScript itself knows no bytes. */
export type Decode = (base64: string) => string | undefined;

/** Fields of a secret, and the path under which people know them. */
export interface SecretFields {
  readonly path: string;
  readonly decode: Decode;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Says what is wrong with a secret; never with a value out of it. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

const LONGEST_TEXT = 4_096;
/** As long as one with the groups of its user may become. */
export const LONGEST_TOKEN = 64_000;
// A hundred certificates.
const LONGEST_PEM = 256_000;
const MOST_TEXTS = 100;

/** Reads a text of at most so many characters; an empty one counts as unset, as in Argo CD. */
export function secretTextOf(
  { path, values }: SecretFields,
  key: string,
  longest: number = LONGEST_TEXT,
): string | undefined {
  const value = values[key] ?? '';
  if (typeof value !== 'string')
    throw new Refused(`${path}.${key} must be a string, got ${typeName(value)}.`);
  refuseLonger(`${path}.${key}`, value, longest);
  return value === '' ? undefined : value;
}

/** Throws a Refused for a text that is too long. */
export function refuseLonger(path: string, text: string, longest: number): void {
  if (text.length > longest)
    throw new Refused(`${path} must have at most ${longest} characters, got ${text.length}. Shorten it.`);
}

/** Reads a list of texts; none is an empty one. */
export function listOf({ path, values }: SecretFields, key: string): readonly string[] {
  const value = values[key] ?? [];
  if (!Array.isArray(value) || !value.every((entry) => typeof entry === 'string'))
    throw new Refused(`${path}.${key} must be a list of strings.`);
  if (value.length > MOST_TEXTS)
    throw new Refused(
      `${path}.${key} must have at most ${MOST_TEXTS} entries, got ${value.length}. Shorten it.`,
    );
  for (const entry of value) refuseLonger(`${path}.${key}`, entry, LONGEST_TEXT);
  return value;
}

/** Reads an object with fields of its own. */
export function partOf({ path, decode, values }: SecretFields, key: string): SecretFields | undefined {
  const value = values[key] ?? undefined;
  if (value === undefined) return undefined;
  if (isRecord(value)) return { path: `${path}.${key}`, decode, values: value };
  throw new Refused(`${path}.${key} must be an object, got ${typeName(value)}.`);
}

/** Reads PEM that is encoded in base64 once more, and leaves it so. */
export function pemOf(
  from: SecretFields,
  key: string,
  what: 'CERTIFICATE' | 'PRIVATE KEY',
): string | undefined {
  const value = secretTextOf(from, key, LONGEST_PEM);
  if (value === undefined) return undefined;
  const begins =
    what === 'CERTIFICATE' ? /-----BEGIN CERTIFICATE-----/ : /-----BEGIN [A-Z ]*PRIVATE KEY-----/;
  if (begins.test(from.decode(value) ?? '')) return value;
  throw new Refused(`${from.path}.${key} must be a PEM ${what.toLowerCase()} in base64.`);
}

/** Reads JSON with fields. */
export function parseFields(path: string, json: string, decode: Decode): SecretFields {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // What the parser says would quote the text.
    throw new Refused(`${path} must be JSON.`);
  }
  if (isRecord(value)) return { path, decode, values: value };
  throw new Refused(`${path} must be a JSON object, got ${typeName(value)}.`);
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (value === null) return 'nothing';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
