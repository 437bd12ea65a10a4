import type { TenantLimits } from './limits.ts';

/** Whose something is that takes up memory. */
export interface Tenant {
  /** The namespace of the secret. */
  readonly namespace: string;
  /** The uid of the secret, with the key where it may name several clusters. */
  readonly cluster: string;
  readonly name: string;
}

/** A limit that would be passed, and whose it is. */
export interface Full {
  readonly scope: 'cluster' | 'namespace';
  readonly of: string;
  readonly most: number;
}

/** What each cluster, and all clusters of each namespace, take up. */
export interface TenantAccount {
  /** What a cluster takes up. */
  of(tenant: Tenant): number;
  /** Says that a cluster takes up so much more, or less. */
  add(tenant: Tenant, by: number): void;
  /** Says which limit so much more would pass; undefined: none. */
  full(tenant: Tenant, by: number): Full | undefined;
}

/** Makes an account of nothing; who takes up nothing is not in it. */
export function createAccount(limits: TenantLimits): TenantAccount {
  const taken = { cluster: new Map<string, number>(), namespace: new Map<string, number>() };
  const takenBy = (scope: Full['scope'], tenant: Tenant): number => taken[scope].get(tenant[scope]) ?? 0;
  return {
    of: (tenant) => takenBy('cluster', tenant),
    add: (tenant, by) => {
      for (const scope of scopes) {
        const now = takenBy(scope, tenant) + by;
        if (now === 0) taken[scope].delete(tenant[scope]);
        else taken[scope].set(tenant[scope], now);
      }
    },
    full: (tenant, by) => {
      const scope = scopes.find((one) => takenBy(one, tenant) + by > limits[one]);
      return scope && { scope, of: nameOf[scope](tenant), most: limits[scope] };
    },
  };
}

const scopes = ['cluster', 'namespace'] as const;

const nameOf = {
  cluster: ({ name }: Tenant): string => `cluster ${name}`,
  namespace: ({ namespace }: Tenant): string => `the clusters of namespace ${namespace}`,
};
