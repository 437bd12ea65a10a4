import { AWS_TARGET_GROUP_BINDING } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroupBinding } from '../../../crds/aws-target-group-binding.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';
import {
  type Entry,
  countOf,
  type Registration,
  findSharedTargets,
  type SharedTargets,
} from '../../../domain/discovery/target-group-binding/registered-target.ts';
import { given } from '../../../domain/model/fields.ts';
import { keyOf } from '../../../domain/model/ids.ts';
import type { Missing } from '../../../domain/discovery/missing.ts';
import { saysTheSame, deriveSyncStatus, type Problem } from '../../../domain/discovery/sync-status.ts';
import type { Synced } from '../../contract.ts';
import { createStatusReporter } from '../../kubernetes/status-reporter.ts';
import type { Bound } from './group.ts';

/** Keeps in a status what an object has registered, before it is registered, so that a crash leaves nothing unknown. */
export type BindingLedger = ReturnType<typeof openLedger>;

/** Opens the ledger of an object. */
export function openLedger(
  kubernetes: Pick<KubernetesClient, 'apply'>,
  bound: Pick<Bound, 'key' | 'uid' | 'status' | 'life'> & { readonly resourceVersion: string },
) {
  const { key, uid, resourceVersion, status, life } = bound;
  const { targetGroupARN, created, targets = [], ...others } = status;
  const { apiVersion, kind } = AWS_TARGET_GROUP_BINDING;
  // What must never be lost: where the object has registered what.
  let now: Entry = { targetGroupARN, created, targets };
  let version = resourceVersion;
  return {
    now: (): Entry => now,
    /** The version of the object that says so; a status that is written over another one would forget what that says. */
    version: (): string => version,
    /** Makes the status say something else; throws unless it does, or when the object is another by now. */
    async write(entry: Entry): Promise<void> {
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

/** What a sync came to; what is registered stands in the ledger. */
export interface BindingOutcome {
  readonly problems: readonly Problem[];
  readonly againInSeconds?: number | undefined;
  /** What is missed; undefined when nobody has looked, and what was missed before still is. */
  readonly missing?: readonly Missing[];
}

/** Makes what reports on AWSTargetGroupBindings. */
export function createBindingReporter(kubernetes: KubernetesClient) {
  const write = createStatusReporter(kubernetes);
  return async (
    { metadata, status: before = {} }: AWSTargetGroupBinding,
    ledger: BindingLedger,
    { problems, missing = before.missing ?? [], againInSeconds }: BindingOutcome,
  ): Promise<Synced> => {
    const { targetGroupARN, created, targets } = ledger.now();
    const count = countOf(targets);
    const message = `${count} ${count === 1 ? 'target is' : 'targets are'} registered${targetGroupARN === undefined ? '' : ` in ${targetGroupARN}`}.`;
    const at = { generation: metadata.generation ?? 0, time: new Date().toISOString() };
    const status = {
      ...deriveSyncStatus({ message, problems }, before, at),
      targets,
      ...given({ missing: missing.length === 0 ? undefined : missing, targetGroupARN, created }),
    };
    if (!saysTheSame(status, before)) {
      const about = { key: keyOf({ metadata }), uid: metadata.uid ?? '', resourceVersion: ledger.version() };
      await write(AWS_TARGET_GROUP_BINDING, about, status);
    }
    return { isPresent: true, message: status.message ?? '', ...given({ againInSeconds }) };
  };
}

/** Reads what the other AWSTargetGroupBindings of a namespace have registered in a target group. */
export async function readShared(
  kubernetes: Pick<KubernetesClient, 'list'>,
  { key: { namespace }, uid, life: { signal } }: Pick<Bound, 'key' | 'uid' | 'life'>,
  group: Omit<Parameters<typeof findSharedTargets>[1], 'uid'>,
): Promise<SharedTargets> {
  const others = await kubernetes.list<AWSTargetGroupBinding>(AWS_TARGET_GROUP_BINDING, {
    namespace,
    signal,
  });
  return findSharedTargets(others, { uid, ...group });
}

/** Leaves out of what is to be deregistered what another object keeps; its record says already that this one lets it go. */
export async function withoutKept(
  leaving: readonly Registration[],
  read: () => Promise<SharedTargets>,
): Promise<readonly Registration[]> {
  if (leaving.length === 0) return [];
  const { isKept } = await read();
  return leaving.filter((one) => !isKept(one));
}
