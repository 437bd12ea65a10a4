import { verdictFrom } from '../../domain/rollout/measure/analysis.ts';
import { badUsage } from './exit.ts';
import type { AnalysisRun } from './new-analysis-run.ts';
import { inOneLine } from '../terminal-text.ts';

/** The phases in which an AnalysisRun measures no more. */
export const PHASES = ['Successful', 'Failed', 'Error', 'Inconclusive'] as const;

/** Reads the name of a phase, in any case. */
export function phaseCalled(text: string): (typeof PHASES)[number] {
  const found = PHASES.find((phase) => phase.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  throw badUsage(`Expected one of ${PHASES.join(', ')} with --phase, got ${JSON.stringify(text)}.`);
}

/** Whether an AnalysisRun measures no more. */
export const isOver = ({ status }: Pick<AnalysisRun, 'status'>): boolean =>
  PHASES.some((phase) => phase === status?.phase);

/** How an AnalysisRun has ended: whether it is good, and what its last measurements have said otherwise. */
export function endOf({ metadata, status = {} }: Pick<AnalysisRun, 'metadata' | 'status'>): {
  readonly isGood: boolean;
  readonly message: string;
  readonly said: readonly string[];
} {
  const { metricResults = [] } = status;
  const { phase, message } = verdictFrom(metadata.name, status);
  const isGood = phase === 'Successful';
  const said = metricResults
    .filter((metric) => metric.phase !== 'Successful')
    .flatMap(({ name = 'metric', message: ofMetric, measurements = [] }) => {
      const last = measurements.at(-1)?.message ?? ofMetric;
      return last === undefined || last === '' ? [] : [inOneLine(`${name}: ${last}`)];
    });
  return {
    isGood,
    message: inOneLine(`AnalysisRun ${metadata.name} is ${phase}${message === '' ? '.' : `: ${message}`}`),
    said: isGood ? [] : said,
  };
}
