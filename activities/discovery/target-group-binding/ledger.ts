import { AWS_TARGET_GROUP_BINDING } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroupBindingStatus } from '../../../crds/aws-target-group-binding.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';
import type { Lifetime } from '../lifetime.ts';
import type { TargetGroupOwner } from '../../../domain/discovery/target-group-binding/new-target-group.ts';
import type { Entry, Place } from '../../../domain/discovery/target-group-binding/binding-move.ts';

/** Keeps in a status what an object has registered, before it is registered, so that a crash leaves nothing unknown. */
export interface BindingLedger {
  /** What the status says. */
  now(): Entry;
  /** The version of the object that says so; a status that is written over another one would forget what that says. */
  version(): string;
  /** Makes the status say something else; throws unless it does, or when the object is another by now. */
  write(entry: Entry): Promise<void>;
}

/** An object as it was read. */
export interface LedgerObject extends TargetGroupOwner {
  readonly resourceVersion: string;
  readonly status: AWSTargetGroupBindingStatus;
  readonly life: Lifetime;
}

/** Opens the ledger of an object. */
export function bindingLedger(
  kubernetes: Pick<KubernetesClient, 'apply'>,
  { key, uid, resourceVersion, status, life }: LedgerObject,
): BindingLedger {
  const { targetGroupARN, created, targets = [], targetsHash, former, ...others } = status;
  const { apiVersion, kind } = AWS_TARGET_GROUP_BINDING;
  // What must never be lost: where the object has registered what.
  let now: Entry = { targetGroupARN, created, targets, targetsHash, former };
  let version = resourceVersion;
  return {
    now: () => now,
    version: () => version,
    async write(entry) {
      if (canonical(entry) === canonical(now)) return;
      life.assert();
      // The uid keeps the apply from changing another object of the same name, and the version an attempt that was
      // given up from forgetting what a later one has registered.
      const metadata = { ...key, uid, resourceVersion: version };
      const object = { apiVersion, kind, metadata, status: { ...others, ...entry } };
      const written = await kubernetes.apply(object, { subresource: 'status', force: true });
      version = written.metadata.resourceVersion;
      now = entry;
    },
  };
}

/** The part of a ledger that is about a target group that the object moves from; it stays there even while nothing is registered in it. */
export function formerLedger(
  ledger: BindingLedger,
  { targetGroupARN }: Pick<Place, 'targetGroupARN'>,
): BindingLedger {
  const isIt = (one: Place): boolean => one.targetGroupARN === targetGroupARN;
  return {
    now: () => ledger.now().former?.find(isIt) ?? { targetGroupARN, targets: [] },
    version: () => ledger.version(),
    write: ({ targets, targetsHash }) => {
      const { former = [], ...others } = ledger.now();
      const changed = former.map((one) => (isIt(one) ? { ...one, targets, targetsHash } : one));
      return ledger.write({ ...others, former: changed });
    },
  };
}
