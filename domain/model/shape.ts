/** Fields of which nobody has said yet what they are. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether something has fields. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The fields of something; none when it has none. */
export const fieldsIn = (value: unknown): Fields => (isRecord(value) ? value : {});

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
