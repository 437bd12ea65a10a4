import { refusedGroup } from './allowed.ts';
import { registerIn, targetsHashOf, type Binding } from './fill.ts';
import { findFormer, type Bound } from './group.ts';
import { formerLedger, type BindingLedger } from './ledger.ts';
import type { BindingOutcome } from './report.ts';
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
  let all: BindingOutcome = { problems: [] };
  for (const place of ledger.now().former ?? []) {
    const { targetGroupARN, targetsHash } = place;
    if (!stays(targetGroupARN) || targetsHash !== hash) continue;
    if ((await refusedGroup(dependencies.kubernetes, bound, targetGroupARN)) !== undefined) continue;
    const group = await findFormer(dependencies, place, bound.life);
    if (group?.is !== 'Group') continue;
    const outcome = await registerIn(group, dependencies, { bound, ledger: formerLedger(ledger, place) });
    all = {
      problems: [...all.problems, ...outcome.problems],
      againInSeconds: earlier(all.againInSeconds, outcome.againInSeconds),
    };
  }
  return all;
}
