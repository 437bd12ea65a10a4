import type { Check } from '../../crds/check.ts';
import { cut } from '../text.ts';
import type { AnalysisPhase, AnalysisVerdict } from '../rollout/measure/analysis.ts';
import { HASH_ANNOTATION } from './next-run.ts';

/** The label on Checks that a step of a Cell makes, by which they are found again: what they are called together. */
export const RUN_LABEL = 'okra.mumo.co/check-run';

/** The annotation that says how many Checks a step has made. */
export const COUNT_ANNOTATION = 'okra.mumo.co/check-count';

/** How far a Check has come. A verdict counts only for the analysis that its annotation names. */
export function phaseOf({ metadata, status = {} }: Pick<Check, 'metadata' | 'status'>): AnalysisPhase {
  const { phase = 'Pending', reason, analysis } = status;
  if (phase === 'Terminated') return 'Error';
  const wanted = metadata.annotations?.[HASH_ANNOTATION];
  const isOld = wanted !== undefined && analysis?.observedHash !== wanted;
  // What is written cannot be measured; nothing was observed of it.
  const isUnmeasured = phase === 'Pending' || reason === 'InvalidObject';
  return isOld && !isUnmeasured ? 'Running' : phase;
}

const LONGEST_MESSAGE = 4_096;

// The first of these that one of them has is that of all together: what failed decides at once.
const order: readonly AnalysisPhase[] = [
  'Failed',
  'Error',
  'Pending',
  'Running',
  'Inconclusive',
  'Successful',
];

const wantedOf = (checks: readonly Pick<Check, 'metadata'>[]): number =>
  Math.max(1, ...checks.map(({ metadata }) => Number(metadata.annotations?.[COUNT_ANNOTATION]) || 1));

/** Whether some of the Checks of a step are missing: not made yet, or deleted. */
export const isPartial = (checks: readonly Pick<Check, 'metadata'>[]): boolean =>
  checks.length < wantedOf(checks);

/** How far the Checks of a step have come together: successful when all of them are. */
export function verdictOfAll(
  name: string,
  checks: readonly Pick<Check, 'metadata' | 'status'>[],
): AnalysisVerdict {
  const phases = checks.map((check) => ({ check, phase: phaseOf(check) }));
  const phase = order.find((one) => phases.some((of) => of.phase === one)) ?? 'Error';
  // One that was deleted cannot be trusted to have been good.
  if (isPartial(checks) && phase !== 'Failed') {
    const message = `Only ${checks.length} of ${wantedOf(checks)} Checks of ${name} are left: one was deleted before it had a verdict.`;
    return { name, phase: 'Error', message };
  }
  const { check } = phases.find((of) => of.phase === phase) ?? {};
  const said = check?.status?.message ?? '';
  const message = checks.length === 1 || said === '' ? said : `${check?.metadata.name ?? ''}: ${said}`;
  return { name, phase, message: cut(message, LONGEST_MESSAGE) };
}
