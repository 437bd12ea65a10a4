import { KubernetesError } from '../../../clients/kubernetes/kubernetes.ts';
import { toFailure } from '../../failure.ts';

/** Says in a word and a sentence why a cluster could not be read. */
export function remoteProblem(
  error: unknown,
  cluster: string,
): { readonly reason: string; readonly message: string } {
  const { message } = toFailure(error);
  const reason = reasonOf(error);
  if (reason === 'KindNotInstalled') {
    return {
      reason,
      message: `Expected the kind that is looked for to be installed in cluster ${cluster}, got: ${message} Install it; what the cluster had before stays.`,
    };
  }
  return { reason, message: `${message} What cluster ${cluster} had before stays.` };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof KubernetesError)) return 'Unreachable';
  if (isWithheld(error.reason)) return error.reason;
  if (error.reason === 'LoginFailed' || error.status === 401 || error.status === 403) return 'AccessDenied';
  if (error.status === 404) return 'KindNotInstalled';
  return error.status === 0 ? 'Unreachable' : 'Unavailable';
}

/** Whether Okra does not show its identity to whom a secret names. */
const isWithheld = (reason: string): boolean => reason === 'ForeignEndpoint' || reason === 'NotAllowed';
