import { formatKey, type ObjectKey } from '../model/ids.ts';

/** Whose a rule, a listener or a target group is: an object's, of one installation of Okra. */
export interface Owner {
  readonly key: ObjectKey;
  /** The id of the installation, which no other in the account has. */
  readonly installation: string;
}

type Ownership = 'Ours' | 'Nobodys' | 'Foreign';

// API_Tag: a value of at most 256 characters.
const LONGEST_TAG = 256;

/** The value of the tag `okra.mumo.co/owner`: `namespace/name@installation`. */
export const ownerTag = ({ key, installation }: Owner): string =>
  `${formatKey(key).slice(0, LONGEST_TAG - installation.length - 1)}@${installation}`;

/** Says whose something is by its tag; undefined when it has none. */
export function ownershipOf(owner: Owner, tag: string | undefined): Ownership {
  if (tag === undefined) return 'Nobodys';
  return tag === ownerTag(owner) ? 'Ours' : 'Foreign';
}

/** The object that a tag names, in whatever installation; undefined when it names none. */
export function keyInTag(tag: string | undefined): ObjectKey | undefined {
  const [namespace, name, ...others] = (tag?.split('@')[0] ?? '').split('/');
  const isKey = namespace !== undefined && namespace !== '' && name !== undefined && name !== '';
  return isKey && others.length === 0 ? { namespace, name } : undefined;
}

/** Whether a tag names an object of this name, in whatever installation. */
export const isNamesake = ({ key }: Pick<Owner, 'key'>, tag: string): boolean => {
  const named = keyInTag(tag);
  return named !== undefined && formatKey(named) === formatKey(key);
};

/** Whether a tag names an object with another name, in whatever installation. */
export const isOfAnother = ({ key }: Pick<Owner, 'key'>, tag: string | undefined): boolean =>
  tag !== undefined && keyInTag(tag) !== undefined && !isNamesake({ key }, tag);
