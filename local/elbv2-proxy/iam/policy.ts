import { z } from 'zod';

const some = z.union([z.string(), z.array(z.string()).min(1)]).transform((one) => [one].flat());

const operators = [
  'StringEquals',
  'StringLike',
  'Null',
  'ForAllValues:StringEquals',
  'ForAllValues:StringLike',
  'ForAnyValue:StringEquals',
  'ForAnyValue:StringLike',
] as const;

const condition = z.partialRecord(z.enum(operators), z.record(z.string(), some));

/** An IAM policy, as far as the judge knows it; what it does not know is refused, so that nothing is judged too kindly. */
export const policySchema = z.object({
  Version: z.literal('2012-10-17'),
  Statement: z.array(
    z.strictObject({
      Sid: z.string().optional(),
      Effect: z.enum(['Allow', 'Deny']),
      Action: some,
      Resource: some,
      Condition: condition.optional(),
    }),
  ),
});

/** An IAM policy. */
export type Policy = z.infer<typeof policySchema>;

type Condition = z.infer<typeof condition>;

/** The keys of conditions, and what a call has for them; a key that is absent has no value. */
export type Context = Readonly<Record<string, readonly string[]>>;

/** One action on one resource, which a policy allows or not. */
export interface Access {
  readonly action: string;
  readonly resource: string;
  readonly context: Context;
}

const escaped = (pattern: string): string => pattern.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');

/** Compares as IAM does: `*` stands for any characters, `?` for one. */
function isLike(pattern: string, value: string, flags = ''): boolean {
  const source = escaped(pattern.replaceAll(/\*+/g, '*')).replaceAll('*', '.*').replaceAll('?', '.');
  return new RegExp(`^${source}$`, `s${flags}`).test(value);
}

/** Reads what a call has for a key, whose name IAM takes in any case. */
function valuesOf(context: Context, key: string): readonly string[] {
  const name = Object.keys(context).find((one) => one.toLowerCase() === key.toLowerCase());
  return name === undefined ? [] : (context[name] ?? []);
}

function holdsFor(operator: string, wanted: readonly string[], got: readonly string[]): boolean {
  if (operator === 'Null') return wanted.includes(String(got.length === 0));
  const isWanted = (value: string): boolean =>
    wanted.some((one) => (operator.endsWith('StringLike') ? isLike(one, value) : one === value));
  if (operator.startsWith('ForAllValues:')) return got.every(isWanted);
  return got.some(isWanted);
}

const meets = (conditions: Condition | undefined, context: Context): boolean =>
  Object.entries(conditions ?? {}).every(([operator, keys]) =>
    Object.entries(keys).every(([key, wanted]) => holdsFor(operator, wanted, valuesOf(context, key))),
  );

const isAbout = (patterns: readonly string[], action: string): boolean =>
  patterns.some((pattern) => isLike(pattern, action, 'i'));

/** Judges one action on one resource: a denial wins, and what nothing allows is not allowed. */
export function allows({ Statement }: Policy, { action, resource, context }: Access): boolean {
  const about = Statement.filter(
    (one) =>
      isAbout(one.Action, action) &&
      one.Resource.some((pattern) => isLike(pattern, resource)) &&
      meets(one.Condition, context),
  );
  return about.length > 0 && about.every(({ Effect }) => Effect === 'Allow');
}

/** Judges an action whose resource is not known. */
export const allowsSomewhere = ({ Statement }: Policy, action: string): boolean =>
  Statement.some(({ Effect, Action }) => Effect === 'Allow' && isAbout(Action, action));
