import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import type { ListenerRule } from '../../../crds/listener-rule.ts';
import { sameValue } from '../../../domain/kubernetes/canonical.ts';
import { awsErrorType, failure, unlessError } from '../../failure.ts';
import type { Writing } from '../port.ts';
import type { PresentRule } from '../../../domain/load-balancers/application-load-balancer/rule-difference.ts';
import { isPermanent } from '../../../domain/failures.ts';
import { given } from '../../../domain/model/fields.ts';
import type { Attempt, KnownRule, StickinessByGroup, TargetStickiness } from './attempt.ts';

type Groups = ListenerRule['forward']['targetGroups'];

const arnsOf = (groups: Groups): readonly string[] => groups.map(({ arn }) => arn);

const without = (groups: Groups, others: Groups): readonly string[] =>
  arnsOf(groups).filter((arn) => !arnsOf(others).includes(arn));

const servedBefore = ({ request }: Attempt): ListenerRule['forward'] | undefined =>
  request.observed?.listener.rule.forward;

const before = (attempt: Attempt): TargetStickiness | undefined => servedBefore(attempt)?.targetStickiness;

/** Refuses an application's cookie in a rule that weighs several groups, where it does not work; not when traffic is taken back. */
export function refuseUnweighable({ request, desired }: Attempt): void {
  const { targetGroups, targetStickiness } = desired.forward;
  if (request.urgent || targetGroups.length === 1 || targetStickiness?.type !== 'app_cookie') return;
  throw failure(
    'Refused',
    `forward.targetStickiness of the type app_cookie does not work with weighted target groups (AWS guide to sticky sessions), and rule ${desired.priority} of the listener has ${targetGroups.length}. Use lb_cookie, or targetGroupStickiness alone.`,
  );
}

/** Adds to a rule how its target groups keep clients, which is read only where that is wanted or was. */
export async function withStickiness(
  attempt: Attempt,
  present: PresentRule,
): Promise<Omit<KnownRule, 'ruleARN'>> {
  const { rule } = present;
  const { targetStickiness: wanted } = attempt.desired.forward;
  if (wanted === undefined && before(attempt) === undefined) return present;
  const { elbv2, writing } = attempt;
  const stickiness = await readStickiness(elbv2, arnsOf(rule.forward.targetGroups), writing.signal);
  const found = inCommon(stickiness, wanted);
  const forward = { ...rule.forward, ...given({ targetStickiness: found }) };
  return { ...present, rule: { ...rule, forward }, stickiness };
}

/** Has the target groups of a rule keep clients no longer, when that is not wanted any more. */
export async function releaseTargets(attempt: Attempt, { rule, stickiness }: KnownRule): Promise<void> {
  const { targetGroups, targetStickiness } = rule.forward;
  if (attempt.desired.forward.targetStickiness !== undefined || targetStickiness === undefined) return;
  const keeping = arnsOf(targetGroups).filter((arn) => stickiness === undefined || stickiness.get(arn));
  await writeStickiness(attempt.elbv2, attempt.writing, keeping, undefined);
}

/** Has the target groups of a rule keep clients as wanted, and those that have left it no longer. */
export async function keepTargets(attempt: Attempt, known: KnownRule | undefined): Promise<void> {
  const { targetGroups, targetStickiness: wanted } = attempt.desired.forward;
  if (wanted === undefined) return;
  const { elbv2, writing } = attempt;
  // A write that was cut short has left a rule without a group that the status still has in it.
  const had = [...(known?.rule.forward.targetGroups ?? []), ...(servedBefore(attempt)?.targetGroups ?? [])];
  const lacking = arnsOf(targetGroups).filter((arn) => !keeps(arn, known, wanted));
  await writeStickiness(elbv2, writing, lacking, wanted);
  if (before(attempt) !== undefined) {
    for (const arn of new Set(without(had, targetGroups))) await letGo(attempt, arn);
  }
}

/** Has a group that has left the rule keep clients no longer; a lasting refusal of that does not fail what takes traffic back. */
async function letGo({ request, elbv2, writing }: Attempt, arn: string): Promise<void> {
  try {
    await writeStickiness(elbv2, writing, [arn], undefined);
  } catch (error) {
    const type = awsErrorType(error);
    if (!request.urgent || type === undefined || !isPermanent(type)) throw error;
  }
}

function keeps(arn: string, known: KnownRule | undefined, wanted: TargetStickiness): boolean {
  if (known === undefined) return false;
  if (known.stickiness !== undefined) return sameValue(known.stickiness.get(arn), wanted);
  const { targetGroups, targetStickiness } = known.rule.forward;
  return arnsOf(targetGroups).includes(arn) && sameValue(targetStickiness, wanted);
}

// The attributes of a target group (API_TargetGroupAttribute).
const ENABLED = 'stickiness.enabled';
const TYPE = 'stickiness.type';
const LB_SECONDS = 'stickiness.lb_cookie.duration_seconds';
const APP_SECONDS = 'stickiness.app_cookie.duration_seconds';
const APP_COOKIE = 'stickiness.app_cookie.cookie_name';

/** Reads how target groups keep clients; one that is gone keeps none. */
export async function readStickiness(
  elbv2: ELBv2,
  arns: readonly string[],
  signal: AbortSignal,
): Promise<StickinessByGroup> {
  const read = async (arn: string) => {
    const attributes = await unlessError('TargetGroupNotFound', elbv2.attributesOf(arn, signal));
    return [arn, attributes && fromAttributes(attributes)] as const;
  };
  return new Map(await Promise.all(arns.map(read)));
}

/** Makes target groups keep clients as wanted, or no longer; one that is gone needs nothing. */
export async function writeStickiness(
  elbv2: ELBv2,
  { permit }: Pick<Writing, 'permit'>,
  arns: readonly string[],
  wanted: TargetStickiness | undefined,
): Promise<void> {
  for (const arn of arns) {
    await permit();
    const write = elbv2.setAttributes(arn, toAttributes(wanted));
    await (wanted === undefined ? unlessError('TargetGroupNotFound', write) : write);
  }
}

/** What groups do in common: what is wanted when all of them do that, else what one of them does instead. */
export function inCommon(
  found: StickinessByGroup,
  wanted: TargetStickiness | undefined,
): TargetStickiness | undefined {
  const others = [...found.values()].filter((one) => !sameValue(one, wanted));
  return others.length === 0 ? wanted : others.find((one) => one !== undefined);
}

function toAttributes(wanted: TargetStickiness | undefined): Readonly<Record<string, string>> {
  if (wanted === undefined) return { [ENABLED]: 'false' };
  const { type, durationSeconds, cookieName = '' } = wanted;
  const seconds = String(durationSeconds);
  const cookie =
    type === 'lb_cookie' ? { [LB_SECONDS]: seconds } : { [APP_COOKIE]: cookieName, [APP_SECONDS]: seconds };
  return { [ENABLED]: 'true', [TYPE]: type, ...cookie };
}

function fromAttributes(attributes: Readonly<Record<string, string>>): TargetStickiness | undefined {
  if (attributes[ENABLED] !== 'true') return undefined;
  if (attributes[TYPE] !== 'app_cookie') {
    return { type: 'lb_cookie', durationSeconds: Number(attributes[LB_SECONDS] ?? 86_400) };
  }
  return {
    type: 'app_cookie',
    durationSeconds: Number(attributes[APP_SECONDS] ?? 86_400),
    cookieName: attributes[APP_COOKIE] ?? '',
  };
}
