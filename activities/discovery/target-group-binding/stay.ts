import { isTooManyFormer } from '../../../domain/discovery/target-group-binding/binding-move.ts';
import { earlier } from '../../../domain/discovery/missing.ts';
import type { Problem } from '../../../domain/discovery/sync-status.ts';
import { soonest } from '../soonest.ts';
import { refusedGroup } from './allowed.ts';
import { registerIn, type Binding } from './fill.ts';
import { targetsHashOf } from './shared.ts';
import { findFormer, type Bound } from './group.ts';
import { hasMoved } from './leave.ts';
import type { BindingLedger } from './ledger.ts';
import type { BindingOutcome } from './report.ts';

/**
 * Keeps up the targets where they are, when the target group that they are to move to is not to be had. Where they are
 * may be a target group that the namespace may not use any more, and which is left alone then.
 */
export async function stay(
  dependencies: Binding,
  { bound, ledger }: { readonly bound: Bound; readonly ledger: BindingLedger },
  problem: Problem,
): Promise<Staying> {
  const { mayLeave, ...outcome } = await keptThere(dependencies, { bound, ledger }, problem);
  const kept = { ...outcome, againInSeconds: earlier(soonest([problem]), outcome.againInSeconds) };
  // Nothing but leaving those before makes room in the status, also where the targets here are not looked after.
  return isTooManyFormer(problem) ? { ...kept, mayLeave: mayLeave ?? true } : kept;
}

/** The outcome where the targets stay; whether the target groups before that one may be emptied, if that is to be. */
type Staying = BindingOutcome & { readonly mayLeave?: boolean };

async function keptThere(
  dependencies: Binding,
  { bound, ledger }: { readonly bound: Bound; readonly ledger: BindingLedger },
  problem: Problem,
): Promise<Staying> {
  const { targetGroupARN: former, targetsHash } = ledger.now();
  if (former === undefined || !hasMoved(bound.spec, ledger.now())) return { problems: [problem] };
  const refused = await refusedGroup(dependencies.kubernetes, bound, former);
  if (refused !== undefined) return { problems: [problem, refused] };
  const group = await findFormer(dependencies, ledger.now(), bound.life);
  if (group?.is !== 'Group') return { problems: [problem] };
  const stays = `${problem.message} Until then the targets stay in ${group.arn}`;
  // Other targets are for the new target group: this one may serve.
  if (targetsHash !== undefined && targetsHash !== targetsHashOf(bound.spec))
    return {
      problems: [{ ...problem, message: `${stays} as they are, since spec.targets asks for others.` }],
    };
  const message = `${stays}.`;
  const outcome = await registerIn(group, dependencies, { bound, ledger });
  return { ...outcome, problems: [{ ...problem, message }, ...outcome.problems] };
}
