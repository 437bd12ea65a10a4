import type { CallRecord, ProxyControl } from '../../elbv2-proxy/control.ts';

/** A weight that was written to a rule. */
export interface Weight {
  /** The ARN of the rule. */
  readonly rule: string;
  /** When ELBv2 had applied it, in milliseconds since 1970. */
  readonly at: number;
  /** The share of a target group, in percent; that which came last to the rule, unless another is named. */
  readonly percent: number;
  /** The order in which writes were applied. */
  readonly seq: number;
}

/** The weights of target groups that were written since a call; the groups are the canaries. */
export async function weightsSince(
  control: ProxyControl,
  since: number,
  canaries: ReadonlySet<string>,
): Promise<readonly Weight[]> {
  const calls = await control.calls({ since, action: 'ModifyRule' });
  return calls.filter(({ applied }) => applied).flatMap((call) => weightIn(call, canaries));
}

function weightIn({ after, endedAt, seq }: CallRecord, canaries: ReadonlySet<string>): readonly Weight[] {
  return (after ?? []).flatMap(({ ruleArn, forward }) => {
    const total = forward.reduce((sum, { weight = 0 }) => sum + weight, 0);
    const canary = forward.find(({ arn }) => canaries.has(arn));
    const share = total === 0 ? 0 : (100 * (canary?.weight ?? 0)) / total;
    return [{ rule: ruleArn, at: endedAt, percent: share, seq }];
  });
}

/** The milliseconds between one weight and the next. */
export const gapsOf = (weights: readonly Weight[]): readonly number[] =>
  weights.slice(1).map(({ at }, index) => at - (weights[index]?.at ?? at));

/** The value below which this share of all lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined) throw new Error('Expected values to take a quantile of, got none.');
  return found;
}
