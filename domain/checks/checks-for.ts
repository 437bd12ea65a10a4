import type { CheckStep } from '../../crds/update-strategy.ts';
import type { CheckAnalysis } from '../../crds/check.ts';
import { canonical } from '../kubernetes/canonical.ts';
import { LONGEST_OBJECT_NAME } from '../kubernetes/selector.ts';
import { withoutEnd } from '../text.ts';
import { expressionProblems } from './judge-value.ts';
import { fillIn, questionOf, type Filled, type CheckVariables } from './question.ts';

interface CheckToMake {
  readonly name: string;
  readonly analysis: CheckAnalysis;
}

interface CheckSource {
  /** What a Check for all groups is called; those for one cluster each get its name behind it. */
  readonly name: string;
  readonly analysis: CheckStep['analysis'];
  readonly canary: readonly CheckVariables[];
  readonly stable: readonly CheckVariables[];
}

const COMPARES_GROUPS =
  'Cannot use compare with groupBy: the stable version is measured by the same query and has groups as well. Remove one of them.';

/** The Checks of a check: one when its queries are the same for all groups, else one for each group. */
export function checksFor(source: CheckSource): Filled<readonly CheckToMake[]> {
  const { analysis, canary, stable } = source;
  const { compare, groupBy } = analysis;
  const filled = canary.map((variables) => ({ variables, filled: fillIn(analysis, variables) }));
  const others = compare === undefined ? [] : stable.map((variables) => fillIn(analysis, variables));
  const problems = new Set([
    ...expressionProblems(analysis),
    ...[...filled.map((one) => one.filled), ...others].flatMap((one) => (one.ok ? [] : one.problems)),
    ...(canary.length === 0 ? ['No target groups to check.'] : []),
    ...(compare && stable.length === 0 ? ['No stable version to compare with. Remove compare.'] : []),
    ...(compare && groupBy !== undefined ? [COMPARES_GROUPS] : []),
  ]);
  if (problems.size > 0) return { ok: false, problems: [...problems] };
  const asked = Map.groupBy(filled, (one) => canonical(one.filled.ok ? one.filled.value : undefined));
  const checks = [...asked.values()].flatMap(([first, ...rest]) => {
    if (first?.filled.ok !== true) return [];
    const groups = [first, ...rest].map(({ variables }) => variables);
    const suffix = asked.size === 1 ? '' : first.variables.clusterName || groupName(first.variables);
    return [{ suffix, analysis: completed(first.filled.value, source, { groups, others }) }];
  });
  return { ok: true, value: named(source.name, checks) };
}

const groupName = ({ targetGroupARN }: CheckVariables): string => targetGroupARN.split('/')[1] ?? '';

interface Sides {
  readonly groups: readonly CheckVariables[];
  readonly others: readonly Filled<CheckStep['analysis']>[];
}

/** What a step leaves out, and what a comparison asks the other side. */
function completed(
  { compare, count = 1, alignTo = 'step', ...analysis }: CheckStep['analysis'],
  { stable }: CheckSource,
  { groups, others }: Sides,
): CheckAnalysis {
  const common = { ...analysis, count, alignTo };
  if (compare === undefined) return common;
  const questions = others.flatMap((one) => (one.ok ? [questionOf(one.value)] : []));
  const baselines = [...new Map(questions.map((question) => [canonical(question), question])).values()];
  const arnsOf = (side: readonly CheckVariables[]): string[] =>
    side.map(({ targetGroupARN }) => targetGroupARN);
  const targetGroupARNs = { canary: arnsOf(groups), stable: arnsOf(stable) };
  return {
    ...common,
    compare: { ...compare, baselines, ...(compare.normalise === undefined ? {} : { targetGroupARNs }) },
  };
}

function named(
  base: string,
  checks: readonly { readonly suffix: string; readonly analysis: CheckAnalysis }[],
): readonly CheckToMake[] {
  const taken = new Set<string>();
  return checks.map(({ suffix, analysis }, index) => {
    let name = nameOf(base, suffix);
    for (let number = index + 1; taken.has(name); number += 1) name = nameOf(base, suffix, `-${number}`);
    taken.add(name);
    return { name, analysis };
  });
}

function nameOf(base: string, suffix: string, number = ''): string {
  if (suffix === '') return base;
  const plain = suffix.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-');
  const whole = `${base}-${plain}`.slice(0, LONGEST_OBJECT_NAME - number.length);
  return `${withoutEnd(whole, /[^a-z0-9]/)}${number}`;
}
