import { LONGEST_MESSAGE } from '../../model/status-input.ts';
import { cut } from '../../text.ts';
import type { RejectedTargetGroup } from '../../versions/version.ts';

/** How many AWSTargetGroups a status names that cannot be used; a namespace may have thousands, and a payload of Temporal holds 2 MB. */
const MOST_TOLD = 100;

/** The AWSTargetGroups that a status names of those that cannot be used: all that there is room for, those first that are not allowed. */
export function told(rejected: readonly RejectedTargetGroup[]): RejectedTargetGroup[] {
  if (rejected.length <= MOST_TOLD) return [...rejected];
  const isRefused = ({ reason }: RejectedTargetGroup): boolean => reason === 'NotAllowed';
  const others = rejected.filter((one) => !isRefused(one));
  return [...rejected.filter(isRefused), ...others].slice(0, MOST_TOLD);
}

/** Says for people what cannot be used. */
export function tellRejected(rejected: readonly RejectedTargetGroup[]): string {
  const count = rejected.length > MOST_TOLD ? `${rejected.length} AWSTargetGroups cannot be used. ` : '';
  const messages = told(rejected).map(({ message }) => message);
  return cut(`${count}${messages.join(' ')}`, LONGEST_MESSAGE);
}
