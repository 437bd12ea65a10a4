import { LEASE } from '../../clients/kubernetes/kinds.ts';
import type { Key, KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';

/** What a Lease says, and the version that it says it in. */
export interface LeaseRecord {
  readonly resourceVersion: string;
  /** Empty when nobody holds it. */
  readonly holder: string;
  readonly durationSeconds: number;
  readonly transitions: number;
}

/** What a holder writes. */
export interface LeaseClaim {
  readonly holder: string;
  readonly durationSeconds: number;
  readonly transitions: number;
  /** Whether the claim is new, and not one that is only kept up. */
  readonly isNew: boolean;
}

/** The Lease by which a leader is elected. */
export interface LeasePort {
  read(signal: AbortSignal): Promise<LeaseRecord | undefined>;
  /** Makes the Lease; throws `AlreadyExists` when someone was faster. */
  create(claim: LeaseClaim, signal: AbortSignal): Promise<LeaseRecord>;
  /** Writes the Lease; throws `Conflict` when it has another version than the one given. */
  write(claim: LeaseClaim, resourceVersion: string, signal: AbortSignal): Promise<LeaseRecord>;
}

interface Lease {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string };
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly leaseTransitions?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
  };
}

/** The Lease of a name in the Kubernetes API. */
export function kubernetesLease(
  kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch'>,
  key: Key & { readonly namespace: string },
): LeasePort {
  const { namespace, name } = key;
  return {
    read: async (signal) => {
      const lease = await kubernetes.get<Lease>(LEASE, key, { signal });
      return lease === undefined ? undefined : recordOf(lease);
    },
    create: async (claim, signal) => {
      const { apiVersion, kind } = LEASE;
      return recordOf(
        await kubernetes.create<Lease>(
          { apiVersion, kind, metadata: { namespace, name }, spec: specOf(claim) },
          { signal },
        ),
      );
    },
    write: async (claim, resourceVersion, signal) =>
      recordOf(
        await kubernetes.patch<Lease>(
          LEASE,
          key,
          { metadata: { resourceVersion }, spec: specOf(claim) },
          { signal },
        ),
      ),
  };
}

function recordOf({ metadata, spec = {} }: Lease): LeaseRecord {
  return {
    resourceVersion: metadata.resourceVersion ?? '',
    holder: spec.holderIdentity ?? '',
    durationSeconds: spec.leaseDurationSeconds ?? 0,
    transitions: spec.leaseTransitions ?? 0,
  };
}

function specOf({ holder, durationSeconds, transitions, isNew }: LeaseClaim): NonNullable<Lease['spec']> {
  const now = microTime(new Date());
  return {
    holderIdentity: holder,
    leaseDurationSeconds: durationSeconds,
    leaseTransitions: transitions,
    renewTime: now,
    ...(isNew ? { acquireTime: now } : {}),
  };
}

// metav1.MicroTime wants six digits.
const microTime = (time: Date): string => time.toISOString().replace('Z', '000Z');
