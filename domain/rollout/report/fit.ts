import type { StructuralSchema } from '../../../crds/structural-schema.ts';
import { cut } from '../../text.ts';
import { LONGEST_MESSAGE } from './status-rollout.ts';
import type { RejectedTargetGroup } from '../../versions/version.ts';

/** How many AWSTargetGroups a status names that cannot be used; a namespace may have thousands, and a payload of Temporal holds 2 MB. */
const MOST_LISTED = 100;

/** The AWSTargetGroups that a status names of those that cannot be used: all that there is room for, those first that are not allowed. */
export function listRejected(rejected: readonly RejectedTargetGroup[]): RejectedTargetGroup[] {
  if (rejected.length <= MOST_LISTED) return [...rejected];
  const isRefused = ({ reason }: RejectedTargetGroup): boolean => reason === 'NotAllowed';
  const others = rejected.filter((one) => !isRefused(one));
  return [...rejected.filter(isRefused), ...others].slice(0, MOST_LISTED);
}

/** Says for people what cannot be used. */
export function describeRejected(rejected: readonly RejectedTargetGroup[]): string {
  const count = rejected.length > MOST_LISTED ? `${rejected.length} AWSTargetGroups cannot be used. ` : '';
  const messages = listRejected(rejected).map(({ message }) => message);
  return cut(`${count}${messages.join(' ')}`, LONGEST_MESSAGE);
}

/** The fields of statuses that people read. Whatever else is too long would be something else when it is cut: a version, say, that is blocked. */
const forPeople: readonly string[] = ['by', 'cause', 'message', 'reason', 'weights'];

/** Cuts what people read in a value to what its schema has room for: for a text that is too long the API server refuses the whole. */
export function fitToSchema(value: unknown, schema: StructuralSchema): unknown {
  if (Array.isArray(value)) return value.map((one) => fitToSchema(one, partOf(schema['items'])));
  if (typeof value !== 'object' || value === null) return value;
  const properties = partOf(schema['properties']);
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => {
      const part = Object.hasOwn(properties, key) ? partOf(properties[key]) : {};
      const { maxLength } = part;
      const isText = typeof one === 'string' && typeof maxLength === 'number' && forPeople.includes(key);
      return [key, isText ? cut(one, maxLength) : fitToSchema(one, part)];
    }),
  );
}

const partOf = (part: unknown): StructuralSchema =>
  typeof part === 'object' && part !== null ? { ...part } : {};
