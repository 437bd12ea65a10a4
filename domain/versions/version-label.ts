import { VERSION_LABEL } from '../kubernetes/labels.ts';
import type { Labels, LabelSelector } from '../kubernetes/selector.ts';
import { isRecord } from '../model/fields.ts';

interface TargetGroupSelector extends LabelSelector {
  readonly versionLabels?: readonly string[] | undefined;
}

/** What of a Cell's spec decides which target groups are its own. */
export interface SelectingSpec {
  /** Its type, and the block of a load balancer under the name of that. */
  readonly ingress?: { readonly [name: string]: string | Selecting | undefined } | undefined;
  readonly versionedBy?: { readonly label?: string | undefined } | undefined;
}

interface Selecting {
  readonly targetGroupSelector?: TargetGroupSelector | undefined;
}

/** What of an AWSTargetGroup may say its version. */
export interface VersionedGroup {
  readonly metadata: { readonly labels?: Labels; readonly generation?: number | undefined };
  readonly status?:
    { readonly observedGeneration?: number | undefined; readonly version?: string | undefined } | undefined;
}

/** The selector that a Cell's load balancer block carries; one of a form that no schema allows, which the problems of the spec tell, selects nothing. */
export function selectorOf({ ingress }: SelectingSpec): TargetGroupSelector | undefined {
  const written = Object.values(ingress ?? {}).find(isBlock)?.targetGroupSelector ?? undefined;
  return written === undefined || isReadable(written) ? written : NOTHING;
}

const NOTHING: TargetGroupSelector = { matchExpressions: [{ key: '', operator: 'None' }] };

const isReadable = (selector: unknown): boolean => {
  if (!isRecord(selector)) return false;
  const requirements: unknown = selector['matchExpressions'] ?? [];
  return (
    Array.isArray(requirements) &&
    requirements.every((one) => isRecord(one) && Array.isArray(one['values'] ?? []))
  );
};

// Of a form that no schema allows, it must not stop the others.
const isBlock = (part: unknown): part is Selecting => typeof part === 'object' && part !== null;

/** The label keys that may say a version, in the order in which they are tried. */
function versionLabelsOf(spec: SelectingSpec): readonly string[] {
  const listed: unknown = selectorOf(spec)?.versionLabels;
  // A text in place of a list says which label is meant, and what serves keeps its version until someone has corrected it.
  if (typeof listed === 'string' && listed !== '') return [listed];
  if (Array.isArray(listed) && listed.length > 0) return listed as readonly string[];
  const label = spec.versionedBy?.label;
  return label === undefined || label === '' ? [VERSION_LABEL] : [label];
}

/** The version that an AWSTargetGroup claims, unchecked: that of its labels, else that of the AWS tags of its target group. */
export const versionOf = (spec: SelectingSpec, group: VersionedGroup): string | undefined =>
  labelledVersion(spec, group.metadata.labels) ?? taggedVersion(group);

/** The version that labels claim, unchecked: the first version label that is not empty. */
export function labelledVersion(spec: SelectingSpec, labels: Labels): string | undefined {
  const own = labels ?? {};
  return versionLabelsOf(spec)
    .map((key) => (Object.hasOwn(own, key) ? own[key] : undefined))
    .find((value) => value !== undefined && value !== '');
}

/** The version that the AWS tags of a target group were last seen to claim; not that of an ARN that was corrected since. */
export const taggedVersion = ({ metadata, status }: VersionedGroup): string | undefined =>
  status?.observedGeneration === metadata.generation ? status?.version : undefined;
