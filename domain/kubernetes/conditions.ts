import type { Condition } from '../../crds/common.ts';

/** Finds the owner that controls an object; Kubernetes allows for one (metav1.OwnerReference.controller). */
export const controllerOf = <Reference extends { readonly controller?: boolean }>({
  ownerReferences,
}: {
  readonly ownerReferences?: readonly Reference[];
}): Reference | undefined => ownerReferences?.find(({ controller }) => controller === true);

export type { Condition } from '../../crds/common.ts';

/** Whether the status of an object says that something keeps it from what its spec asks for. */
export const isDegraded = ({ conditions = [] }: { readonly conditions?: readonly Condition[] | undefined }) =>
  conditions.some(({ type, status }) => type === 'Degraded' && status === 'True');

/** What a condition says, before it is known since when. */
export interface Claim {
  readonly type: string;
  /** `Unknown` as long as nobody could find out. */
  readonly holds: boolean | 'Unknown';
  /** CamelCase; part of the API (metav1.Condition.reason). */
  readonly reason: string;
  readonly message: string;
}

/** Turns claims into conditions; the time of a condition changes only when its status does. */
export function conditionsFrom(
  claims: readonly Claim[],
  before: readonly Condition[],
  at: { readonly generation: number; readonly time: string },
): Condition[] {
  return claims.map((claim) => {
    const status = statusOf(claim);
    const old = before.find((one) => one.type === claim.type);
    return {
      type: claim.type,
      status,
      reason: claim.reason,
      message: claim.message,
      lastTransitionTime: old?.status === status ? old.lastTransitionTime : at.time,
      observedGeneration: at.generation,
    };
  });
}

function statusOf({ holds }: Claim): Condition['status'] {
  if (holds === 'Unknown') return holds;
  return holds ? 'True' : 'False';
}
