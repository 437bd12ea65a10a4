import type { CheckStep } from '../../crds/update-strategy.ts';
import { check, type CheckAnalysis } from '../../crds/check.ts';
import type { CheckVariables } from '../checks/question.ts';

type Written = object;

/** The analysis of a Check as the API server would have it: what is written, and the defaults. */
export function anAnalysis(written: Written = {}): CheckAnalysis {
  const parsed = check.parseSpec({ analysis: { query: 'avg:errors{*}', aggregator: 'avg', ...written } });
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  return parsed.value.analysis;
}

/** The check of a step of a Cell, with the defaults. */
export function aStepAnalysis(written: Written = {}): CheckStep['analysis'] {
  const { compare: _none, ...analysis } = anAnalysis({ max: 1, ...written, compare: undefined });
  return {
    ...analysis,
    ...('compare' in written ? { compare: written.compare as never } : {}),
  };
}

/** What queries may say of a target group. */
export const theVariables = (clusterName: string, more: Partial<CheckVariables> = {}): CheckVariables => ({
  clusterName,
  targetGroupARN: `arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/${clusterName}/0123456789abcdef`,
  listenerARN: 'arn:aws:elasticloadbalancing:eu-west-1:111122223333:listener/app/shop/aaaa/bbbb',
  version: '2.0.0',
  labels: { role: 'web' },
  tags: { team: 'shop' },
  ...more,
});
