/** A value of the AWS Query protocol as plain JSON: everything is text, a list, or named fields. */
export type Value = string | readonly Value[] | Fields;

/** Named values of a request or an answer. */
export interface Fields {
  readonly [name: string]: Value | undefined;
}

const isFields = (value: Value | undefined): value is Fields =>
  typeof value === 'object' && !Array.isArray(value);

/** Reads a text field; empty and absent are told apart. */
export function text(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

/** Reads named fields within a field; absent ones read as none. */
export function fieldsOf(fields: Fields, name: string): Fields {
  const value = fields[name];
  return isFields(value) ? value : {};
}

/** Reads a list of named fields; an empty element of the protocol is an empty list. */
export function items(fields: Fields, name: string): readonly Fields[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** Reads a list of texts; an empty element of the protocol is an empty list. */
export function texts(fields: Fields, name: string): readonly string[] {
  const value = fields[name];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

/** Reads a list of keys with their values, such as tags or attributes. */
export const pairs = (fields: Fields, name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(items(fields, name).map((one) => [text(one, 'Key') ?? '', text(one, 'Value') ?? '']));

/** Tells whether a list was given with at least one entry. */
export function given(fields: Fields, name: string): boolean {
  return Array.isArray(fields[name]);
}

/** Lists every text anywhere in a value, in order. */
export function everyText(value: Value | undefined): readonly string[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return [value];
  const parts = Array.isArray(value) ? value : Object.values(value);
  return parts.flatMap((part: Value | undefined) => everyText(part));
}

/** Changes every text anywhere in named fields. */
export const mapTexts = (fields: Fields, change: (text: string) => string): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, mapValue(one, change)]));

function mapValue(value: Value | undefined, change: (text: string) => string): Value | undefined {
  if (typeof value === 'string') return change(value);
  if (isFields(value)) return mapTexts(value, change);
  return value?.map((one: Value) => mapValue(one, change) ?? '');
}

const secretNames = new Set(['ClientSecret']);

/** Replaces what must not stand in a log. */
export function withoutSecrets(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, hide(name, one)]));
}

function hide(name: string, value: Value | undefined): Value | undefined {
  if (secretNames.has(name)) return '(hidden)';
  if (isFields(value)) return withoutSecrets(value);
  if (Array.isArray(value)) return value.map((one: Value) => (isFields(one) ? withoutSecrets(one) : one));
  return value;
}
