import { digest } from '../digest.ts';

// Temporal's SQL stores keep ids in VARCHAR(255). Names of Kubernetes and ARNs are ASCII, so that characters are bytes.
const LONGEST = 255;
const DIGITS = 32;
// Stands in no name of Kubernetes and in no ARN, so that no whole id looks like a shortened one.
const MARK = '~';

/** The id by which Temporal knows a workflow: one that is too long is cut, and ends in a digest of the whole. */
export const temporalId = (id: string): string =>
  id.length <= LONGEST ? id : `${id.slice(0, LONGEST - DIGITS - 1)}${MARK}${digest(id).slice(0, DIGITS)}`;

/** Whether an id was too long, so that the name in it is not whole. */
export const isShortened = (workflowId: string): boolean => workflowId.includes(MARK);
