import type { Close, Decision } from '../../model/decision.ts';
import { gate } from '../../gates/gate.ts';
import type { GuardInput } from '../../gates/guard.ts';
import { tooMany } from './settle.ts';
import { resumeAt } from '../../steps/plan.ts';
import { stepsOf } from '../../steps/strategy.ts';
import type { VersionSet } from '../../versions/version.ts';
import { includes, MAX_TARGET_GROUPS, weightOf, withCarriers } from '../../load-balancers/weights.ts';

/** Two versions that have a rule in common. */
interface Sides {
  readonly stable: VersionSet;
  readonly canary: VersionSet;
}

/** Begins a rollout. One that has traffic already is not held before it is known, so that it can be aborted. */
export function begin({ stable, canary }: Sides, input: GuardInput): Decision {
  const { observed, cell } = input;
  const tooBig = withoutRoom({ stable, canary }, input);
  if (tooBig !== undefined) return tooBig;
  const weight = weightOf(canary.groups, observed.weighted);
  const isUnderWay = weight > 0;
  const decision: Decision = {
    do: 'Begin',
    stable,
    canary,
    index: resumeAt(stepsOf(cell.spec), weight),
    message: isUnderWay
      ? `Continuing the rollout of ${canary.version} in place of ${stable.version} at weight ${weight}.`
      : `Rolling out ${canary.version} in place of ${stable.version}.`,
  };
  return isUnderWay ? decision : gate(decision, input);
}

/** Says that a rule has no room for two versions, with what else serves; undefined where it has. */
export function withoutRoom({ stable, canary }: Sides, { observed }: GuardInput): Close | undefined {
  const joining = canary.groups.filter((group) => !includes(stable.groups, group));
  const both = [...stable.groups, ...joining];
  const together = withCarriers(both, observed.weighted);
  if (together.length <= MAX_TARGET_GROUPS) return undefined;
  const others = together.length > both.length ? ' with what else serves' : '';
  return tooMany(together, `Versions ${stable.version} and ${canary.version} have together${others}`);
}
