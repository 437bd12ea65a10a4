import { CELL } from '../../clients/kubernetes/kinds.ts';
import { FIELD_MANAGER, LAST_APPLIED_ANNOTATION } from '../../domain/kubernetes/labels.ts';
import { fieldsIn, recordsIn, textIn, type Fields } from '../../domain/model/shape.ts';

/**
 * Whether the version to which a Cell is pinned stays when a manifest without one is applied: apply takes away only what
 * the manifest had before (https://kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config/), and okractl rollback
 * is no manifest.
 */
export function staysPinned(before: Fields | undefined, object: Fields): boolean {
  if (object['kind'] !== CELL.kind || !hasVersion(before) || 'version' in fieldsIn(object['spec']))
    return false;
  const { annotations, managedFields } = fieldsIn(before?.['metadata']);
  const owners = recordsIn(managedFields).filter(({ subresource }) => subresource === undefined);
  if (isAppliedByServer(owners)) return !isOnlyApplied(owners);
  return !hasVersion(parsed(fieldsIn(annotations)[LAST_APPLIED_ANNOTATION]));
}

const hasVersion = (object: unknown): boolean => fieldsIn(fieldsIn(object)['spec'])['version'] !== undefined;

// Okra applies what it adds by itself, such as a finalizer, and others apply labels to what is not theirs.
const isApplied = ({ operation, manager, fieldsV1 }: Fields): boolean =>
  operation === 'Apply' && manager !== FIELD_MANAGER && 'f:spec' in fieldsIn(fieldsV1);
const isByClient = ({ manager }: Fields): boolean => manager === 'kubectl-client-side-apply';

/** Whether it was applied by the server last, and so is again. */
const isAppliedByServer = (owners: readonly Fields[]): boolean =>
  owners.some(isApplied) && lastOf(owners.filter(isApplied)) >= lastOf(owners.filter(isByClient));

const lastOf = (owners: readonly Fields[]): string =>
  owners
    .map(({ time }) => textIn(time) ?? '')
    .toSorted()
    .at(-1) ?? '';

/** Whether the version is of nobody but who applies: the server removes a field that has no owner any more. */
function isOnlyApplied(owners: readonly Fields[]): boolean {
  const ofVersion = owners.filter(({ fieldsV1 }) => 'f:version' in fieldsIn(fieldsIn(fieldsV1)['f:spec']));
  return ofVersion.length === 1 && ofVersion.every(isApplied);
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
