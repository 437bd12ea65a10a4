import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { RuleMove } from '../../../clients/aws/elbv2-calls.ts';
import { formatKey } from '../../../domain/model/ids.ts';
import { isOwn, keyInTag, ownershipOf } from '../../../domain/load-balancers/owner-tag.ts';
import type { Attempt } from './attempt.ts';
import { ownerOf } from '../owner.ts';

/**
 * Finds the rules that wait for each other: ours wants the place of the next, that wants another, and so on, and the last
 * wants ours. None could go first, so that they move by one call. Undefined when ours has another way.
 */
export async function circleOf(
  attempt: Attempt,
  rules: readonly Rule[],
  { there, moved }: { readonly there: Rule | undefined; readonly moved: Rule | undefined },
): Promise<readonly RuleMove[] | undefined> {
  if (there === undefined || moved === undefined || there === moved) return undefined;
  const moves: RuleMove[] = [];
  for (let place = String(attempt.desired.priority); place !== moved.Priority;) {
    const rule = rules.find((one) => one.Priority === place);
    const priority = rule === undefined ? undefined : await wantedPlace(attempt, rule);
    if (priority === undefined || moves.some((move) => move.priority === priority)) return undefined;
    moves.push({ ruleARN: rule?.RuleArn ?? '', priority });
    place = String(priority);
  }
  return moves;
}

/** The priority that the object of a rule wants for it instead; undefined when it wants none, or is none of this installation's. */
async function wantedPlace(attempt: Attempt, rule: Rule): Promise<number | undefined> {
  const priority = (await otherServedBy(attempt, rule))?.priority;
  return String(priority) === rule.Priority ? undefined : priority;
}

/** An object that a rule serves: the owner tag of the rule, and the priority that the object asks for. */
interface Served {
  readonly tag: string | undefined;
  readonly priority: number;
}

/** Another object of this installation that a rule serves; undefined when there is none. */
export async function otherServedBy(
  { request, elbv2, owner, asks, writing: { signal } }: Attempt,
  { RuleArn = '' }: Rule,
): Promise<Served | undefined> {
  const tag = await ownerOf(elbv2, RuleArn, signal);
  const key = keyInTag(tag);
  if (key === undefined || formatKey(key) === formatKey(request.key)) return undefined;
  const { installation } = await owner();
  if (!isOwn(ownershipOf({ key, installation }, tag))) return undefined;
  const other = await asks({ type: 'AWSApplicationLoadBalancer', key }, signal);
  if (other?.desired.type !== 'AWSApplicationLoadBalancer') return undefined;
  const { desired, status } = other;
  const ruleARN = status.observed?.type === desired.type ? status.observed.ruleARN : undefined;
  const { priority } = desired.listener.rule;
  // Only what its own status names is surely the rule that the object speaks of.
  const isMeant = desired.listenerARN === request.forwarding.listenerARN && ruleARN === RuleArn;
  return isMeant ? { tag, priority } : undefined;
}
