import { AWS_TARGET_GROUP_BINDING } from '../clients/kinds.ts';
import type { KubernetesClient } from '../clients/kubernetes.ts';
import type { AWSTargetGroupBindingStatus } from '../crds/aws-target-group-binding.ts';
import { canonical } from '../domain/canonical.ts';
import type { TargetGroupOwner } from '../domain/new-target-group.ts';
import type { RegisteredTarget } from '../domain/registered-target.ts';

/** What of a status must never be lost: where an object has registered what. */
export interface Entry {
  readonly targetGroupARN?: string | undefined;
  readonly created?: boolean | undefined;
  readonly targets: readonly RegisteredTarget[];
}

/** Keeps in a status what an object has registered, before it is registered, so that a crash leaves nothing unknown. */
export interface BindingLedger {
  /** What the status says. */
  now(): Entry;
  /** Makes the status say something else; throws unless it does. */
  write(entry: Entry): Promise<void>;
}

/** Opens the ledger of an object, which has this status. */
export function bindingLedger(
  kubernetes: KubernetesClient,
  { key, uid }: TargetGroupOwner,
  status: AWSTargetGroupBindingStatus,
): BindingLedger {
  const { targetGroupARN, created, targets = [], ...others } = status;
  const { apiVersion, kind } = AWS_TARGET_GROUP_BINDING;
  let now: Entry = { targetGroupARN, created, targets };
  return {
    now: () => now,
    async write(entry) {
      if (canonical(entry) === canonical(now)) return;
      // The uid keeps the apply from changing another object of the same name.
      const object = { apiVersion, kind, metadata: { ...key, uid }, status: { ...others, ...entry } };
      await kubernetes.apply(object, { subresource: 'status', force: true });
      now = entry;
    },
  };
}
