import type { Check } from '../../crds/check.ts';
import { thresholdOf } from '../../domain/checks/threshold.ts';
import { fieldsIn, recordsIn, textIn, type Fields } from '../../domain/model/shape.ts';
import { inOneLine } from '../terminal-text.ts';
import { toneOfVerdict } from './tone.ts';
import type { MetricView } from './view.ts';

/** How many values of a metric are shown, the newest. */
const SHOWN = 5;
const LONGEST = 300;

const short = (text: string): string => {
  const line = inOneLine(text);
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST - 1)}…`;
};

/** The metrics of an AnalysisRun of Argo Rollouts: its last values against its conditions. */
export function metricsOfRun(run: unknown): readonly MetricView[] {
  const { spec, status } = fieldsIn(run);
  const results = recordsIn(fieldsIn(status)['metricResults']);
  return recordsIn(fieldsIn(spec)['metrics']).flatMap((metric): readonly MetricView[] => {
    const name = textIn(metric['name']) ?? '';
    const result = results.find((one) => one['name'] === name);
    const threshold = conditionsOf(metric);
    const phase = textIn(result?.['phase']) ?? 'Pending';
    const values = recordsIn(result?.['measurements']).slice(-SHOWN).toReversed();
    if (values.length === 0) return [{ name, phase, tone: toneOfVerdict(phase), value: '', threshold }];
    return values.map((measurement) => measured(name, threshold, measurement));
  });
}

function measured(name: string, threshold: string, measurement: Fields): MetricView {
  const phase = textIn(measurement['phase']) ?? 'Pending';
  const time = textIn(measurement['finishedAt']);
  const value = textIn(measurement['value']) ?? textIn(measurement['message']) ?? '';
  return {
    name,
    phase,
    tone: toneOfVerdict(phase),
    value: short(value),
    threshold,
    ...(time === undefined ? {} : { time }),
  };
}

function conditionsOf(metric: Fields): string {
  const said = [
    ['passes when', textIn(metric['successCondition'])],
    ['fails when', textIn(metric['failureCondition'])],
  ] as const;
  return said.flatMap(([words, text]) => (text === undefined ? [] : [`${words} ${short(text)}`])).join('; ');
}

/** The samples of a Check: the last values against its bounds. */
export function metricsOfCheck({ metadata, spec, status = {} }: Check): readonly MetricView[] {
  const { phase = 'Pending', analysis = {} } = status;
  const threshold = thresholdOf(spec.analysis);
  const results = (analysis.results ?? []).slice(-SHOWN).toReversed();
  if (results.length === 0)
    return [{ name: metadata.name, phase, tone: toneOfVerdict(phase), value: '', threshold }];
  return results.map((result) => ({
    name: metadata.name,
    phase: result.outcome,
    tone: toneOfVerdict(result.outcome),
    value: result.value === undefined ? short(result.message ?? '') : String(result.value),
    threshold: result.threshold ?? threshold,
    time: result.time,
  }));
}

/** The AnalysisRuns that an Experiment has made. */
export const runsOfExperiment = (experiment: unknown): readonly string[] =>
  recordsIn(fieldsIn(fieldsIn(experiment)['status'])['analysisRuns']).flatMap(
    (run) => textIn(run['analysisRun']) ?? [],
  );
