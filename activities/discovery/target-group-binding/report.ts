import { AWS_TARGET_GROUP_BINDING } from '../../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../../clients/kubernetes/kubernetes.ts';
import type { AWSTargetGroupBinding } from '../../../crds/aws-target-group-binding.ts';
import { countOf } from '../../../domain/discovery/target-group-binding/binding-record.ts';
import { keyOf } from '../../../domain/model/ids.ts';
import type { Missing } from '../../../domain/discovery/missing.ts';
import { saysTheSame, syncStatusOf, type Problem } from '../../../domain/discovery/sync-status.ts';
import type { BindingLedger } from './ledger.ts';
import type { Synced } from '../../contract.ts';
import { againIn } from '../soonest.ts';
import { statusReporter } from '../../kubernetes/status-reporter.ts';

/** What a sync came to; what is registered stands in the ledger. */
export interface BindingOutcome {
  readonly problems: readonly Problem[];
  readonly againInSeconds?: number | undefined;
  /** What is missed; undefined when nobody has looked, and what was missed before still is. */
  readonly missing?: readonly Missing[];
}

/** Writes the status of an object when it says something new, and tells the workflow what it says. */
export type BindingReporter = (
  object: AWSTargetGroupBinding,
  ledger: BindingLedger,
  outcome: BindingOutcome,
) => Promise<Synced>;

/** Makes what reports on AWSTargetGroupBindings. */
export function bindingReporter(kubernetes: KubernetesClient): BindingReporter {
  const write = statusReporter(kubernetes);
  return async (
    { metadata, status: before = {} },
    ledger,
    { problems, missing = before.missing ?? [], againInSeconds },
  ) => {
    const { targetGroupARN, created, targets, targetsHash, former } = ledger.now();
    const count = countOf(targets);
    const message = `${count} ${count === 1 ? 'target is' : 'targets are'} registered${targetGroupARN === undefined ? '' : ` in ${targetGroupARN}`}.`;
    const at = { generation: metadata.generation ?? 0, time: new Date().toISOString() };
    const status = {
      ...syncStatusOf({ message, problems }, before, at),
      targets,
      ...(targetsHash === undefined ? {} : { targetsHash }),
      ...(missing.length === 0 ? {} : { missing }),
      ...(targetGroupARN === undefined ? {} : { targetGroupARN }),
      ...(created === undefined ? {} : { created }),
      ...(former === undefined ? {} : { former }),
    };
    if (!saysTheSame(status, before)) {
      await write(
        AWS_TARGET_GROUP_BINDING,
        { key: keyOf({ metadata }), uid: metadata.uid ?? '', resourceVersion: ledger.version() },
        status,
        [],
      );
    }
    return { isPresent: true, message: status.message ?? '', ...againIn({ againInSeconds }) };
  };
}
