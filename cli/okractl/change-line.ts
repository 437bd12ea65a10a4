import type { Cell } from '../../crds/cell.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { inOneLine } from '../terminal-text.ts';
import { withoutFraction } from './time.ts';

/** Says in one line how a Cell stands, for where nothing can be redrawn; equal lines are no news. */
export function cellLine(key: string, { status = {} }: Pick<Cell, 'status'>): string {
  const { phase = 'Pending', step, targetGroups = [], message = '', rollout } = status;
  const { stableVersion, desiredVersion } = status;
  const versions =
    stableVersion === desiredVersion ? stableVersion : `${stableVersion ?? '-'} → ${desiredVersion ?? '-'}`;
  const weights = targetGroups.map(({ name, weight }) => `${name} ${weight}`).join(', ');
  const end = rollout?.stepEndsAt === undefined ? '' : `ends at ${withoutFraction(rollout.stepEndsAt)}`;
  const parts = [key, phase, step, versions, weights, message, end];
  return inOneLine(parts.filter((part) => part !== undefined && part !== '').join('  '));
}

/** Says in one line how a StagedBindingPolicy stands. */
export function policyLine({
  metadata,
  status = {},
}: Pick<StagedBindingPolicy, 'metadata' | 'status'>): string {
  const { phase = 'Pending', activeStage, fulfilled, message = '' } = status;
  const parts = [`sbp/${metadata.name}`, phase, activeStage, fulfilled, message];
  return inOneLine(parts.filter((part) => part !== undefined && part !== '').join('  '));
}

/** A line with the time before it. */
export const timed = (line: string, now: number): string =>
  `${withoutFraction(new Date(now).toISOString())}  ${line}`;
