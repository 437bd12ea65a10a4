import type { CallRecord, RuleView } from '../../../local/elbv2-proxy/control.ts';

/** What a log of calls is held against. */
export interface Expectations {
  /** The rules that are Okra's: their priorities. */
  readonly priorities: readonly number[];
  /** The listeners whose default action is Okra's: those of Network Load Balancers. */
  readonly listeners?: readonly string[];
  /** The version of each target group, by ARN. */
  readonly versions: ReadonlyMap<string, string>;
  /** The totals that the spec lets a version have besides 0 and 100, and what they leave to the other side. */
  readonly totals: readonly number[];
}

type Share = { readonly arn: string; readonly weight: number };
type View = Omit<RuleView, 'forward'> & { readonly forward: readonly Share[] };
type Write = { readonly call: CallRecord; readonly before: View | undefined; readonly after: View };

/** A rule with every weight written out; ELBv2 takes a missing one as 1 (API_TargetGroupTuple). */
const weighed = (rule: RuleView): View => ({
  ...rule,
  forward: rule.forward.map(({ arn, weight }) => ({ arn, weight: weight ?? 1 })),
});

const writeActions = new Set([
  'CreateRule',
  'ModifyRule',
  'DeleteRule',
  'SetRulePriorities',
  'ModifyListener',
]);

/** Says every way in which a log of calls breaks what must always hold; empty when it does not. */
export function violations(calls: readonly CallRecord[], expected: Expectations): readonly string[] {
  const rules = Map.groupBy(writesIn(calls), (write) => write.after.ruleArn);
  return [...rules.values()]
    .flatMap((writes) => [
      ...writes.flatMap((write) => weightsAddUp(write)),
      ...writes.flatMap((write) => onlyHealthyGain(write, writes, calls)),
      ...writes.flatMap((write) => nobodyIsDropped(write)),
      ...writes.flatMap((write) => onlyAskedFor(write, expected)),
      ...writes.flatMap((write) => onlyOurs(write, expected)),
    ])
    .concat(createdOnce(calls));
}

function writesIn(calls: readonly CallRecord[]): readonly Write[] {
  return calls
    .filter((call) => writeActions.has(call.action) && call.applied)
    .toSorted((a, b) => (a.appliedOrder ?? a.seq) - (b.appliedOrder ?? b.seq))
    .flatMap((call) => (call.after ?? []).map((after) => pairOf(call, after)));
}

function pairOf(call: CallRecord, after: RuleView): Write {
  const before = call.before?.find((rule) => rule.ruleArn === after.ruleArn);
  return { call, before: before === undefined ? undefined : weighed(before), after: weighed(after) };
}

const total = (rule: View): number => rule.forward.reduce((sum, group) => sum + group.weight, 0);

function weightsAddUp({ call, after }: Write): string[] {
  return total(after) === 100
    ? []
    : [`I1: call ${call.seq} left weights that add up to ${total(after)}: ${text(after)}`];
}

/** Going back to what once served alone needs no look at the health, nor does a rule that is new. */
function onlyHealthyGain(write: Write, writes: readonly Write[], calls: readonly CallRecord[]): string[] {
  const { call, before, after } = write;
  if (before === undefined) return [];
  const index = writes.indexOf(write);
  const goesBack = writes
    .slice(0, index)
    .some((earlier) => sameWeights(positive(earlier.after), positive(after)));
  if (goesBack) return [];
  const since = writes[index - 1]?.call.seq ?? 0;
  return after.forward
    .filter((group) => group.weight > Math.ceil(percentOf(group.arn, before)))
    .filter(
      (group) =>
        !calls.some((read) => read.seq > since && read.seq < call.seq && showsHealthy(read, group.arn)),
    )
    .map(
      (group) =>
        `I2: call ${call.seq} gave ${group.arn} more weight, and nobody had seen it healthy: ${text(after)}`,
    );
}

/** A group's share of the traffic: weights of another total, which Okra may take over, say the same by other numbers. */
function percentOf(arn: string, rule: View): number {
  const weight = rule.forward.find((group) => group.arn === arn)?.weight ?? 0;
  return weight === 0 ? 0 : (weight * 100) / total(rule);
}

function showsHealthy(call: CallRecord, arn: string): boolean {
  if (call.action !== 'DescribeTargetHealth' || call.parameters['TargetGroupArn'] !== arn) return false;
  return (call.health ?? []).some((target) => target.state === 'healthy');
}

function nobodyIsDropped({ call, before, after }: Write): string[] {
  return (before?.forward ?? [])
    .filter((old) => old.weight > 0 && !after.forward.some((group) => group.arn === old.arn))
    .map((old) => `I4: call ${call.seq} dropped ${old.arn} while it carried ${old.weight}`);
}

function onlyAskedFor({ call, after }: Write, { versions, totals }: Expectations): string[] {
  const allowed = new Set([0, 100, ...totals, ...totals.map((weight) => 100 - weight)]);
  const sums = new Map<string, number>();
  for (const group of after.forward) {
    const version = versions.get(group.arn) ?? group.arn;
    sums.set(version, (sums.get(version) ?? 0) + group.weight);
  }
  return [...sums]
    .filter(([, sum]) => !allowed.has(sum))
    .map(([version, sum]) => `I5: call ${call.seq} gave ${version} ${sum}, which no step asks for`);
}

function createdOnce(calls: readonly CallRecord[]): string[] {
  const creations = calls.filter((call) => call.action === 'CreateRule');
  const byPriority = Map.groupBy(creations, (call) =>
    JSON.stringify([call.parameters['ListenerArn'], call.parameters['Priority']]),
  );
  return [...byPriority.values()].flatMap((ofOne) => {
    const first = ofOne.findIndex((call) => call.applied);
    return (
      ofOne
        // A rule that ELBv2 does not show yet is asked for again; that it is there already is the answer.
        .filter((call, index) => first !== -1 && index > first && call.outcome.code !== 'PriorityInUse')
        .map((call) => `I6: call ${call.seq} creates a rule that was created already`)
    );
  });
}

function onlyOurs({ call, after }: Write, { priorities, listeners = [] }: Expectations): string[] {
  const isDefault = after.priority === 'default';
  const isOurs = isDefault
    ? listeners.includes(after.listenerArn)
    : priorities.includes(Number(after.priority));
  return isOurs
    ? []
    : [
        `I7: call ${call.seq} wrote ${text(after)} to the rule with priority ${after.priority} of ${after.listenerArn}`,
      ];
}

const positive = (rule: View): View['forward'] => rule.forward.filter((group) => group.weight > 0);

const sameWeights = (a: View['forward'], b: View['forward']): boolean =>
  a.length === b.length &&
  a.every((one) => b.some((other) => other.arn === one.arn && other.weight === one.weight));

const text = (rule: View): string =>
  rule.forward.map((group) => `${group.arn.split('/')[1]}=${group.weight}`).join(' ');
