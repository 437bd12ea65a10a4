/** What EKS and the API server of a cluster say of it. */
export interface ClusterSigns {
  readonly name: string;
  readonly eksName: string;
  /** Undefined when EKS has no such cluster. */
  readonly status?: string;
  readonly hasEndpoint: boolean;
  /** Whether the API server says that it is ready, or why nobody knows. */
  readonly api?: { readonly is: 'Ready' | 'NotReady' } | { readonly is: 'Unknown'; readonly message: string };
}

/** Whether a cluster is ready for applications, and why not. */
export function readinessOf(signs: ClusterSigns): { readonly isReady: boolean; readonly message: string } {
  const { name, eksName, status, hasEndpoint, api } = signs;
  const not = (message: string) => ({ isReady: false, message });
  if (status === undefined)
    return not(
      `Expected EKS to have a cluster ${eksName}, got none. Create it, or correct eks.clusterName of cluster ${name}.`,
    );
  if (status !== 'ACTIVE') return not(`EKS cluster ${eksName} is ${status}, and not ACTIVE.`);
  if (!hasEndpoint) return not(`EKS does not say yet where the API server of ${eksName} is.`);
  if (api === undefined || api.is === 'NotReady')
    return not(`The API server of ${eksName} does not answer that it is ready (/readyz).`);
  if (api.is === 'Unknown') return not(api.message);
  return { isReady: true, message: 'It is ACTIVE, and its API server is ready.' };
}
