import { Environment } from '@marcbachmann/cel-js';
import type { z } from 'zod';

/** One rule of a schema: the API server evaluates it at admission, and Okra wherever else it reads a spec. */
export interface Rule {
  /** The rule in CEL, over `self` (https://kubernetes.io/docs/reference/using-api/cel/). */
  readonly cel: string;
  /** What the value must be and what to do; it names the field. */
  readonly message: string;
  /** A CEL expression for a message that can also say what was got. */
  readonly messageExpression?: string;
  /** What Okra does in place of the rule, of a text, where the library evaluates it otherwise than the API server. */
  readonly holds?: (text: string) => boolean;
}

/** The key under which a schema carries its CEL rules. */
export const CEL_RULES = 'x-kubernetes-validations';

const environment = new Environment({ unlistedVariablesAreDyn: true }).registerFunction(
  'list.sum(): dyn',
  (amounts: readonly bigint[]) => amounts.reduce((sum, one) => sum + one, 0n),
);

/** Makes what says whether a value keeps a rule; one about a change is for the API server alone. */
export function evaluatorOf({ cel, holds }: Rule): (value: unknown) => boolean {
  if (cel.includes('oldSelf')) return () => true;
  let compiled: ReturnType<typeof environment.parse> | undefined;
  return (value) => {
    if (holds !== undefined && typeof value === 'string') return holds(value);
    compiled ??= environment.parse(cel);
    try {
      return compiled({ self: typed(value) }) === true;
    } catch {
      return false;
    }
  };
}

/** A value as CEL types it: whole numbers are integers, and a field without a value is not there. */
function typed(value: unknown): unknown {
  if (Number.isSafeInteger(value)) return BigInt(value as number);
  if (Array.isArray(value)) return value.map(typed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [[key, typed(one)]])),
  );
}

/** Attaches rules to a schema, so that the API server and zod accept and refuse the same. */
export function withRules<Schema extends z.ZodType>(schema: Schema, rules: readonly Rule[]): Schema {
  const checked = rules.reduce<Schema>(
    (refined, rule) => refined.refine(evaluatorOf(rule), { message: rule.message }),
    schema,
  );
  return checked.meta({ ...schema.meta(), [CEL_RULES]: celOf(rules) });
}

/** Holds texts to a pattern without CEL, whose cost is counted for the longest text in each place where it may be. */
export const matching = (schema: z.ZodString, pattern: string, message: string): z.ZodString =>
  schema.refine((text) => new RegExp(pattern).test(text), { message }).meta({ ...schema.meta(), pattern });

/** Writes rules as the API server takes them. */
export const celOf = (rules: readonly Rule[]) =>
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

const has = (key: string): string => `has(self.${key})`;

/** An expression that is true when an object has at least one of some fields. */
export const celHasAny = (keys: readonly string[]): string => keys.map(has).join(' || ');

/** An expression for how many of some fields an object has. */
export const celCount = (keys: readonly string[]): string =>
  `[${keys.map(has).join(', ')}].filter(x, x).size()`;

export const requireOneOf = (keys: readonly string[], message: string): Rule => ({
  cel: `${celCount(keys)} == 1`,
  message,
});

export const requireEither = (one: string, other: string, message: string): Rule => ({
  cel: `${has(one)} != ${has(other)}`,
  message,
});

export const requireAnyOf = (keys: readonly string[], message: string): Rule => ({
  cel: celHasAny(keys),
  message,
});

/** Requires, where a field is set, one of some others. */
export const requireWith = (field: string, others: readonly string[], message: string): Rule => ({
  cel: `!${has(field)} || ${celHasAny(others)}`,
  message,
});

/** Refuses a field, which the schema knows only so that it is not dropped in silence. */
export const refuseField = (field: string, message: string): Rule => ({ cel: `!${has(field)}`, message });

export const refuseBoth = (one: string, other: string, message: string): Rule => ({
  cel: `!${has(one)} || !${has(other)}`,
  message,
});

/** Requires that the entries of a list differ in a field. */
export const requireUnique = (key: string, message: string): Rule => ({
  cel: `self.all(one, self.exists_one(other, other.${key} == one.${key}))`,
  message,
});

export const requirePattern = (pattern: string, message: string): Rule => ({
  cel: `self.matches('${pattern}')`,
  message,
});

/** Requires that a text matches a pattern, with a message that shows the text. */
export const requireShownPattern = (pattern: string, expected: string, advice: string): Rule => ({
  ...requirePattern(pattern, `${expected}. ${advice}`),
  messageExpression: `'${expected}, got ' + self + '. ${advice}'`,
});

/** Requires each step of a list to have exactly one of some fields. */
export const requireOneKind = (list: string, keys: readonly string[]): Rule =>
  requireOneOf(
    keys,
    `Each of ${list} must have exactly one of ${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}. Write one step for each of them.`,
  );
