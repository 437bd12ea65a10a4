import type { KindRef } from '../../../clients/kubernetes/kinds.ts';

/** What belongs to another tenant, and what does not. */
export interface Victim {
  readonly listener: string;
  readonly networkListener: string;
  readonly group: string;
  readonly networkGroup: string;
  readonly cluster: { readonly name: string; readonly endpoint: string };
  readonly role: string;
  /** What is the tenant's own. */
  readonly ownCluster: string;
}

/** What a tenant tries by one field of one kind, and how it is refused. */
export interface Attempt {
  readonly kind: string;
  readonly field: string;
  readonly tried: string;
  readonly name: string;
  readonly reason: string;
  /** The object whose status says it, where that is another. */
  readonly saidBy?: { readonly kind: string; readonly name: string };
  readonly object: Readonly<Record<string, unknown>> & Pick<KindRef, 'apiVersion' | 'kind'>;
}

/** The version of Okra's kinds. */
export const apiVersion = 'okra.mumo.co/v1alpha1';
