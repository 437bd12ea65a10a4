import { refusedGroup } from './allowed.ts';
import { attempt } from './attempt.ts';
import { registerIn, type Binding } from './fill.ts';
import { targetsHashOf } from './shared.ts';
import { findFormer, type Bound } from './group.ts';
import { formerLedger, type BindingLedger } from './ledger.ts';
import type { BindingOutcome } from './report.ts';
import type { Place } from '../../../domain/discovery/target-group-binding/binding-move.ts';
import { earlier } from '../../../domain/discovery/missing.ts';

/**
 * Keeps up the targets in the target groups that an object moves from and cannot leave yet. Of one that was filled by
 * other targets of the spec than there are now, nobody knows what is to be in it: it is left as it is.
 */
export async function keepUp(
  dependencies: Binding,
  { bound, ledger }: { readonly bound: Bound; readonly ledger: BindingLedger },
  stays: (targetGroupARN: string) => boolean,
): Promise<BindingOutcome> {
  const hash = targetsHashOf(bound.spec);
  const keepUpIn = async (place: Place): Promise<BindingOutcome> => {
    const refused = await refusedGroup(dependencies.kubernetes, bound, place.targetGroupARN);
    const group = refused === undefined ? await findFormer(dependencies, place, bound.life) : undefined;
    if (group?.is !== 'Group') return { problems: [] };
    return await registerIn(group, dependencies, { bound, ledger: formerLedger(ledger, place) });
  };
  let all: BindingOutcome = { problems: [] };
  for (const place of ledger.now().former ?? []) {
    const { targetGroupARN, targetsHash } = place;
    if (!stays(targetGroupARN) || targetsHash !== hash) continue;
    // Where one does not answer, the others are kept up all the same.
    const outcome = await attempt(bound.life.signal, () => keepUpIn(place), targetGroupARN);
    all = joined(all, outcome);
  }
  return all;
}

function joined(one: BindingOutcome, other: BindingOutcome): BindingOutcome {
  const both = [one.missing, other.missing].filter((some) => some !== undefined);
  const missing = new Map(both.flat().map((each) => [each.name, each]));
  return {
    problems: [...one.problems, ...other.problems],
    ...(both.length === 0 ? {} : { missing: [...missing.values()] }),
    againInSeconds: earlier(one.againInSeconds, other.againInSeconds),
  };
}
