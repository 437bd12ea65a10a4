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

/** Has each item of a list have exactly one of some keys. */
export function exactlyOneOf<Key extends string>(
  list: string,
  keys: readonly Key[],
): Rule<{ readonly [Each in Key]?: unknown }> {
  const names = `${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}`;
  return {
    cel: `[${keys.map((key) => `has(self.${key})`).join(', ')}].filter(x, x).size() == 1`,
    message: `Each of ${list} must have exactly one of ${names}. Write one step for each of them.`,
    holds: (item) => keys.filter((key) => item[key] !== undefined).length === 1,
  };
}
