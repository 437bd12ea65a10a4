import type { Rule } from '@aws-sdk/client-elastic-load-balancing-v2';
import { formatKey } from '../../../domain/model/ids.ts';
import { failure } from '../../failure.ts';
import type { Attempt, KnownRule } from './attempt.ts';
import { claimed, ownerOf, refuseManaged, takeOver } from '../owner.ts';
import { isOfAnother, keyInTag, ownershipOf } from '../../../domain/load-balancers/owner-tag.ts';
import { fromRule, isRouting } from './rule-conversion.ts';
import { withStickiness } from './target-stickiness.ts';
import type { CellListenerRule } from '../../../crds/listener-rule.ts';
import { canonical } from '../../../domain/kubernetes/canonical.ts';
import { queriesOf } from '../../../domain/load-balancers/application-load-balancer/listener-rule.ts';
import { conditionsIn, unsaidIn } from './rule-conditions.ts';

/** Finds our rule by listener and priority, or by its ARN when its priority has changed; for an abort first by the status, wherever it is. */
export async function findRule(attempt: Attempt): Promise<KnownRule | undefined> {
  const { request, desired, elbv2, writing } = attempt;
  const { listenerARN } = request.forwarding;
  const isFirst = request.observed?.listenerARN !== listenerARN;
  const [rules, tags] = await Promise.all([
    elbv2.rulesOf(listenerARN, writing.signal),
    isFirst ? elbv2.tagsOf(listenerARN, writing.signal) : {},
  ]);
  refuseManaged(listenerARN, tags);
  const there = rules.find((rule) => rule.Priority === String(desired.priority));
  const named = rules.find((rule) => rule.RuleArn === request.observed?.ruleARN);
  // A rule that another object has taken over stays where it is; ours is created at its new place.
  const moved = named === there || (await isStillOurs(attempt, named)) ? named : undefined;
  const rule = request.urgent ? (moved ?? there) : (there ?? moved);
  if (rule === undefined) return undefined;
  if (moved !== undefined && rule !== moved) await refuseInUse(attempt, rule);
  await claimRule(attempt, rule);
  return await knownRule(attempt, rule);
}

async function isStillOurs({ owner, elbv2, writing }: Attempt, rule: Rule | undefined): Promise<boolean> {
  if (rule === undefined) return true;
  const [{ key }, tag] = await Promise.all([owner(), ownerOf(elbv2, rule.RuleArn ?? '', writing.signal)]);
  return !isOfAnother({ key }, tag);
}

/** Keeps an object that has a rule from taking over the rule of another object by a change of priority, even where it may adopt: throws a `Conflict`. */
async function refuseInUse(attempt: Attempt, { RuleArn = '', Priority }: Rule): Promise<void> {
  const { request, elbv2, owner, asks, writing } = attempt;
  const tag = await ownerOf(elbv2, RuleArn, writing.signal);
  const key = keyInTag(tag);
  if (key === undefined || formatKey(key) === formatKey(request.key)) return;
  const { installation } = await owner();
  if (ownershipOf({ key, installation }, tag) !== 'Ours') return;
  const other = await asks({ type: 'AWSApplicationLoadBalancer', key }, writing.signal);
  const observed = other?.status.observed;
  // Only what its own status names is surely the rule that the object speaks of.
  if (observed?.type !== 'AWSApplicationLoadBalancer' || observed.ruleARN !== RuleArn) return;
  throw failure(
    'Conflict',
    `cannot give ${formatKey(request.key)} priority ${Priority} of the listener: ${tag} serves by it (${RuleArn}). Choose another priority. To swap two priorities, move the other rule to a free priority first, and edit both afterwards.`,
  );
}

async function claimRule(attempt: Attempt, rule: Rule): Promise<void> {
  const { request, desired, elbv2, writing } = attempt;
  const ruleARN = rule.RuleArn ?? '';
  const isThere = rule.Priority === String(desired.priority);
  const what = isThere ? `priority ${desired.priority} of the listener` : 'the rule that the status names';
  const [owner, tag] = await Promise.all([attempt.owner(), ownerOf(elbv2, ruleARN, writing.signal)]);
  // What the status names was ours, and someone has only taken its tags off.
  const isTold = ruleARN === request.observed?.ruleARN;
  const claim = claimed({ owner, adopt: request.adopt, what, isOurs: !isThere || isTold }, ruleARN, tag);
  if (claim === 'Ours') return;
  if (!(isTold && tag === undefined)) refuseUnsayable(rule, desired);
  await writing.permit();
  await takeOver(elbv2, ruleARN, owner);
}

/** A rule that was read, in Okra's words. */
export async function knownRule(attempt: Attempt, rule: Rule): Promise<KnownRule> {
  return { ruleARN: rule.RuleArn ?? '', ...(await withStickiness(attempt, fromRule(rule, attempt.desired))) };
}

/** Keeps a rule that someone else has made from losing something when it is taken over: throws a `Conflict` where it does what Okra cannot say. */
export function refuseUnsayable(rule: Rule, wanted: Omit<CellListenerRule, 'forward'>): void {
  const { Actions = [], Conditions = [], RuleArn = '', Priority = '' } = rule;
  const what = `the rule to take over (priority ${Priority}, ${RuleArn})`;
  const routing = Actions.filter(isRouting).map(({ Type }) => Type ?? 'unknown');
  if (routing.length !== 1 || routing[0] !== 'forward') {
    throw failure(
      'Conflict',
      `Cannot take over ${what}: it must forward to target groups, but has ${routing.join(' and ') || 'no action that does'}. Make it forward to the target groups that serve, or choose another priority.`,
    );
  }
  const unsaid = unsaidIn(Conditions);
  if (unsaid.length > 0) {
    throw failure(
      'Conflict',
      `Cannot take over ${what}: listener.rule cannot express ${unsaid.join(' and ')}, so the rule would lose them. Remove them from the rule, or choose another priority.`,
    );
  }
  const got = conditionsIn(Conditions);
  const lost = [...regexesBeyond(wanted, got), ...queriesBeyond(wanted, got)];
  if (lost.length > 0) {
    throw failure(
      'Conflict',
      `Cannot take over ${what}: it would lose ${lost.join(' and ')}, which listener.rule does not have. Add them to listener.rule, or remove them from the rule.`,
    );
  }
}

type Matching = Omit<CellListenerRule, 'priority' | 'forward'>;

function queriesBeyond(wanted: Matching, got: Matching): readonly string[] {
  if (got.queryStringConditions === undefined) return [];
  const known = new Set(queriesOf(wanted).map(canonical));
  return queriesOf({ queryStringConditions: got.queryStringConditions })
    .filter((pairs) => !known.has(canonical(pairs)))
    .map(
      (pairs) =>
        `queryStringConditions ${pairs.map(({ key, value }) => (key === '' ? value : `${key}=${value}`)).join(' or ')}`,
    );
}

function regexesBeyond(wanted: Matching, got: Matching): readonly string[] {
  const beyond = (field: string, some: readonly string[] = [], others: readonly string[] = []): string[] =>
    others.filter((one) => !some.includes(one)).map((one) => `${field} ${one}`);
  const headers = Object.entries(wanted.headerRegexes ?? {});
  const regexesFor = (header: string): readonly string[] =>
    headers.filter(([name]) => name.toLowerCase() === header.toLowerCase()).flatMap(([, list]) => list);
  return [
    ...beyond('hostRegexes', wanted.hostRegexes, got.hostRegexes),
    ...beyond('pathRegexes', wanted.pathRegexes, got.pathRegexes),
    ...Object.entries(got.headerRegexes ?? {}).flatMap(([header, list]) =>
      beyond(`headerRegexes.${header}`, regexesFor(header), list),
    ),
  ];
}
