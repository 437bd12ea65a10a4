import type { z } from 'zod';

/** One rule of a schema, said twice: as CEL for the API server, and as a function for everybody else. */
export interface Rule<Value> {
  /** The rule in CEL, over `self` (https://kubernetes.io/docs/reference/using-api/cel/). */
  readonly cel: string;
  /** What the value must be and what to do; it names the field. */
  readonly message: string;
  /** A CEL expression for a message that can also say what was got. */
  readonly messageExpression?: string;
  readonly holds: (value: Value) => boolean;
}

/** The key under which a schema carries its CEL rules. */
export const CEL_RULES = 'x-kubernetes-validations';

/** Attaches rules to a schema, so that the API server and zod accept and refuse the same. */
export function withRules<Schema extends z.ZodType>(
  schema: Schema,
  rules: readonly Rule<z.output<Schema>>[],
): Schema {
  const checked = rules.reduce<Schema>(
    (refined, rule) => refined.refine((value) => rule.holds(value), { message: rule.message }),
    schema,
  );
  return checked.meta({ ...schema.meta(), [CEL_RULES]: celOf(rules) });
}

/** Holds texts to a pattern without CEL, whose cost is counted for the longest text in each place where it may be. */
export const matching = (schema: z.ZodString, pattern: string, message: string): z.ZodString =>
  schema.refine((text) => new RegExp(pattern).test(text), { message }).meta({ ...schema.meta(), pattern });

/** Writes rules as the API server takes them. */
export const celOf = <Value>(rules: readonly Rule<Value>[]) =>
  rules.map(({ cel: rule, message, messageExpression }) => ({
    rule,
    message,
    ...(messageExpression === undefined ? {} : { messageExpression }),
  }));

/** A pattern of texts whose variables are all known: names that stand by themselves, and maps that are asked for by a key. */
export const templatePattern = (root: string, names: readonly string[], maps: readonly string[]): string =>
  `^(?:[^{]|[{][^{]|[{][{]+ *[.]${root}[.](?:(?:${names.join('|')}) *|(?:${maps.join('|')})[.][^{}|"()]+)[}][}])*[{]?$`;

/** The keys of an object that has no others. */
export const keysOf = <Fields extends object>(fields: Fields): readonly (keyof Fields & string)[] =>
  // Object.keys cannot know that there are no others.
  Object.keys(fields) as (keyof Fields & string)[];

/** An object that may have some fields. */
type With<Key extends string> = Partial<Readonly<Record<Key, unknown>>>;

const has = (key: string): string => `has(self.${key})`;
export const celHasAny = (keys: readonly string[]): string => keys.map(has).join(' || ');
const count = <Key extends string>(of: With<Key>, keys: readonly Key[]): number =>
  keys.filter((key) => of[key] !== undefined).length;

/** Requires exactly one of some fields. */
export const requireOneOf = <Key extends string>(keys: readonly Key[], message: string): Rule<With<Key>> => ({
  cel: `[${keys.map(has).join(', ')}].filter(x, x).size() == 1`,
  message,
  holds: (value) => count(value, keys) === 1,
});

/** Requires exactly one of two fields. */
export const requireEither = <Key extends string>(
  one: Key,
  other: Key,
  message: string,
): Rule<With<Key>> => ({
  cel: `${has(one)} != ${has(other)}`,
  message,
  holds: (value) => count(value, [one, other]) === 1,
});

/** Requires at least one of some fields. */
export const requireAnyOf = <Key extends string>(keys: readonly Key[], message: string): Rule<With<Key>> => ({
  cel: celHasAny(keys),
  message,
  holds: (value) => count(value, keys) > 0,
});

/** Requires, where a field is set, one of some others. */
export const requireWith = <Key extends string>(
  field: Key,
  others: readonly Key[],
  message: string,
): Rule<With<Key>> => ({
  cel: `!${has(field)} || ${celHasAny(others)}`,
  message,
  holds: (value) => value[field] === undefined || count(value, others) > 0,
});

/** Refuses a field, which the schema knows only so that it is not dropped in silence. */
export const refuseField = <Key extends string>(field: Key, message: string): Rule<With<Key>> => ({
  cel: `!${has(field)}`,
  message,
  holds: (value) => value[field] === undefined,
});

/** Refuses two fields together. */
export const refuseBoth = <Key extends string>(one: Key, other: Key, message: string): Rule<With<Key>> => ({
  cel: `!${has(one)} || !${has(other)}`,
  message,
  holds: (value) => count(value, [one, other]) < 2,
});

/** Requires that the entries of a list differ in a field. */
export const requireUnique = <Key extends string>(
  key: Key,
  message: string,
): Rule<readonly { readonly [Each in Key]: string }[]> => ({
  cel: `self.all(one, self.exists_one(other, other.${key} == one.${key}))`,
  message,
  holds: (entries) => new Set(entries.map((entry) => entry[key])).size === entries.length,
});

/** Requires that a text matches a pattern. */
export const requirePattern = (pattern: string, message: string): Rule<string> => ({
  cel: `self.matches('${pattern}')`,
  message,
  holds: (text) => new RegExp(pattern).test(text),
});

/** Requires that a text matches a pattern, with a message that shows the text. */
export const requireShownPattern = (pattern: string, expected: string, advice: string): Rule<string> => ({
  ...requirePattern(pattern, `${expected}. ${advice}`),
  messageExpression: `'${expected}, got ' + self + '. ${advice}'`,
});

/** A rule about a change, which only the API server sees. */
export const ruleOnChange = (cel: string, message: string): Rule<unknown> => ({
  cel,
  message,
  holds: () => true,
});

/** Requires each step of a list to have exactly one of some fields. */
export const requireOneKind = <Key extends string>(list: string, keys: readonly Key[]): Rule<With<Key>> =>
  requireOneOf(
    keys,
    `Each of ${list} must have exactly one of ${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}. Write one step for each of them.`,
  );
