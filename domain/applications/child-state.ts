import type { CellStatus } from '../../crds/cell.ts';
import { optional } from '../model/status-input.ts';
import { isSameVersion } from '../versions/version.ts';
import type { ObservedRevision } from './observation.ts';
import type { Situation } from './situation.ts';

/** How far the Cell of an application has come with a revision. */
export type ChildState =
  | { readonly is: 'Done' }
  /** The reason is that of what keeps it from moving, if anything does. */
  | { readonly is: 'Moving'; readonly reason?: string; readonly message: string }
  | { readonly is: 'Failed'; readonly message: string }
  /** Something has failed, and it stays at its weight until someone decides. */
  | { readonly is: 'Held'; readonly message: string };

/** Reads how far the Cell of an application has come off its status. */
export function childState({ seen }: Situation, { number, version }: ObservedRevision): ChildState {
  const { child } = seen;
  if (
    child === undefined ||
    child.revision !== number ||
    child.status.observedGeneration !== child.generation
  )
    return { is: 'Moving', message: 'Its Cell has not looked at the change yet.' };
  const { phase, stableVersion, message = '', blockedVersions = [] } = child.status;
  const blocked = blockedVersions.find((one) => isSameVersion(one.version, version));
  if (blocked !== undefined) return { is: 'Failed', message: blocked.cause };
  if (phase === 'Paused' && isDegraded(child.status)) return { is: 'Held', message };
  if (phase === 'Completed' && isSameVersion(stableVersion ?? '', version)) return { is: 'Done' };
  return {
    is: 'Moving',
    ...(isDegraded(child.status) ? optional('reason', child.status.reason) : {}),
    message: `Cell ${child.name} is ${phase ?? 'new'}: ${message}`,
  };
}

const isDegraded = ({ conditions = [] }: CellStatus): boolean =>
  conditions.some(({ type, status }) => type === 'Degraded' && status === 'True');

/** Whether Cell and AWSTargetGroups of an application are what a revision asks for; those of `keep` may stay. */
export function isChildAsDesired(
  { seen }: Situation,
  { number, version, content }: ObservedRevision,
  keep?: ObservedRevision,
): boolean {
  const { child, targetGroups } = seen;
  if (child?.isAsDesired !== true || child.revision !== number) return false;
  const own = targetGroups.filter(({ isOwn }) => isOwn);
  const isThere = (arn: string): boolean => own.some((one) => one.arn === arn && one.version === version);
  const isKept = (arn: string): boolean => keep?.content.targetGroups.some((one) => one.arn === arn) === true;
  return (
    content.targetGroups.every(({ arn }) => isThere(arn)) &&
    own.every((one) => content.targetGroups.some(({ arn }) => arn === one.arn) || isKept(one.arn))
  );
}
