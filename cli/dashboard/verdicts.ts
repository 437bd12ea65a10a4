import { given, type Fields, fieldsIn, recordsIn, textIn } from '../../domain/model/fields.ts';
import { ANALYSIS_RUN, CHECK, EXPERIMENT } from '../../clients/kubernetes/kinds.ts';
import { isForbidden, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Check } from '../../crds/check.ts';
import { thresholdOf } from '../../domain/checks/judge-value.ts';
import { RUN_LABEL } from '../../domain/checks/verdict.ts';
import { inOneLine } from '../terminal-text.ts';
import type { Troubled } from './remembered.ts';
import { toneOfVerdict } from './rows.ts';
import type { MetricView, VerdictView } from './view.ts';
import { messageOf } from '../../domain/text.ts';

type Measured = NonNullable<NonNullable<Cell['status']>['analysisRun']>;

/** Reads what measures the Cell now, with its values. */
export async function verdictsOf(
  kubernetes: KubernetesClient,
  { metadata, status = {} }: Cell,
  { signal, troubled }: { readonly signal: AbortSignal; readonly troubled: Troubled },
): Promise<readonly VerdictView[]> {
  const { namespace = 'default' } = metadata;
  const { analysisRun, experiment, check, job, backgroundAnalysisRun } = status;
  const runOf = async (name: string): Promise<readonly MetricView[]> =>
    metricsOfRun(await kubernetes.get(ANALYSIS_RUN, { namespace, name }, { signal }));
  const all: readonly (readonly [
    string,
    Measured | undefined,
    (name: string) => Promise<readonly MetricView[]>,
  ])[] = [
    ['AnalysisRun', analysisRun, runOf],
    [
      'Experiment',
      experiment,
      async (name) => {
        const found = await kubernetes.get(EXPERIMENT, { namespace, name }, { signal });
        return (await Promise.all(runsOfExperiment(found).map(runOf))).flat();
      },
    ],
    [
      'Check',
      check,
      async (name) => {
        const labelSelector = `${RUN_LABEL}=${name}`;
        const checks = await kubernetes.list<Check>(CHECK, { namespace, labelSelector, signal });
        return checks.flatMap(metricsOfCheck);
      },
    ],
    ['Job', job, () => Promise.resolve([])],
    ['Background AnalysisRun', backgroundAnalysisRun, runOf],
  ];
  let unread: string | undefined;
  // The rest is worth showing all the same.
  const without = (error: unknown): readonly MetricView[] => {
    if (!isForbidden(error)) unread = inOneLine(messageOf(error));
    return [];
  };
  const verdicts = await Promise.all(
    all.flatMap(([kind, measured, read]) => {
      if (measured === undefined) return [];
      const { name, phase, message } = measured;
      const view = { kind, name, phase, tone: toneOfVerdict(phase), message: inOneLine(message) };
      return [
        read(name)
          .catch(without)
          .then((metrics): VerdictView => ({ ...view, metrics })),
      ];
    }),
  );
  troubled('Measurements', unread);
  return verdicts;
}

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
    return values.map((measurement) => viewOf(name, threshold, measurement));
  });
}

function viewOf(name: string, threshold: string, measurement: Fields): MetricView {
  const phase = textIn(measurement['phase']) ?? 'Pending';
  const time = textIn(measurement['finishedAt']);
  const value = textIn(measurement['value']) ?? textIn(measurement['message']) ?? '';
  return {
    name,
    phase,
    tone: toneOfVerdict(phase),
    value: short(value),
    threshold,
    ...given({ time }),
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

const runsOfExperiment = (experiment: unknown): readonly string[] =>
  recordsIn(fieldsIn(fieldsIn(experiment)['status'])['analysisRuns']).flatMap(
    (run) => textIn(run['analysisRun']) ?? [],
  );
