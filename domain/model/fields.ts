/** Fields of which nobody has said yet what they are. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether something has fields. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of something; none when it has none. */
export const fieldsIn = (value: unknown): Fields => (isRecord(value) ? value : {});

/** What a text says in JSON; undefined when it is none. */
export function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A text; undefined when it is something else. */
export const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A number; undefined when it is something else. */
export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** Those of a list that have fields; none when it is no list. */
export const recordsIn = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** The same without the fields that are null, which the API server drops. */
export const withoutNulls = (object: Fields): Fields =>
  Object.fromEntries(
    Object.entries(object).flatMap(([key, value]) => (value === null ? [] : [[key, nullsDropped(value)]])),
  );

const nullsDropped = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(nullsDropped) : isRecord(value) ? withoutNulls(value) : value;

/** An object without the keys that may have no value; those that always have one stay required. */
export type Given<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & { [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined> };

/** Leaves out the keys without values: an object that is cut down has none where it had none before. */
export const given = <T extends object>(from: T): Given<T> =>
  Object.fromEntries(Object.entries(from).filter(([, value]) => value !== undefined)) as Given<T>;

/** Leaves out some keys of an object. */
export const omit = <T extends object, Key extends keyof T>(from: T, ...keys: readonly Key[]): Omit<T, Key> =>
  Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key as Key))) as Omit<T, Key>;
