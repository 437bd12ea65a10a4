import { type Fields, fieldsIn, recordsIn, textIn } from '../../domain/model/fields.ts';
import { ANALYSIS_RUN, CHECK, EXPERIMENT } from '../../clients/kubernetes/kinds.ts';
import { isForbidden, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import type { Cell } from '../../crds/cell.ts';
import type { Check } from '../../crds/check.ts';
import { thresholdOf } from '../../domain/checks/judge-value.ts';
import { RUN_LABEL } from '../../domain/checks/verdict.ts';
import { measuredBy } from '../okractl/describe-cell.ts';
import { inOneLine } from '../terminal-text.ts';
import type { Troubled } from './remembered.ts';
import { toneOfVerdict } from './rows.ts';
import type { TableCell, TableView } from './view.ts';
import { cut, messageOf } from '../../domain/text.ts';

/** The headings of what measures a Cell: each verdict, and below it its metrics. */
export const MEASURED = ['Analysis or metric', 'Value', 'Threshold', 'Result', 'When'] as const;

type Rows = TableView['rows'];

/** Reads what measures the Cell now, with its values. */
export async function verdictsOf(
  kubernetes: KubernetesClient,
  { metadata, status = {} }: Cell,
  { signal, troubled }: { readonly signal: AbortSignal; readonly troubled: Troubled },
): Promise<Rows> {
  const { namespace = 'default' } = metadata;
  const runOf = async (name: string): Promise<Rows> =>
    metricsOfRun(await kubernetes.get(ANALYSIS_RUN, { namespace, name }, { signal }));
  const readers = {
    AnalysisRun: runOf,
    'Background AnalysisRun': runOf,
    Experiment: async (name: string) => {
      const found = await kubernetes.get(EXPERIMENT, { namespace, name }, { signal });
      return (await Promise.all(runsOfExperiment(found).map(runOf))).flat();
    },
    Check: async (name: string) => {
      const labelSelector = `${RUN_LABEL}=${name}`;
      const checks = await kubernetes.list<Check>(CHECK, { namespace, labelSelector, signal });
      return checks.flatMap(metricsOfCheck);
    },
    Job: () => Promise.resolve([]),
  };
  let unread: string | undefined;
  // The rest is worth showing all the same.
  const without = (error: unknown): Rows => {
    if (!isForbidden(error)) unread = inOneLine(messageOf(error));
    return [];
  };
  const verdicts = await Promise.all(
    measuredBy(status).map(async ({ kind, name, phase, message }) => {
      const verdict = [`${kind} ${name}`, inOneLine(message), '', verdictCell(phase), ''];
      return [verdict, ...(await readers[kind](name).catch(without))];
    }),
  );
  troubled('Measurements', unread);
  return verdicts.flat();
}

const verdictCell = (text: string): TableCell => ({ text, tone: toneOfVerdict(text) });

/** How many values of a metric are shown, the newest. */
const SHOWN = 5;
const LONGEST = 300;

const short = (text: string): string => cut(inOneLine(text), LONGEST);

/** The metrics of an AnalysisRun of Argo Rollouts: its last values against its conditions. */
export function metricsOfRun(run: unknown): Rows {
  const { spec, status } = fieldsIn(run);
  const results = recordsIn(fieldsIn(status)['metricResults']);
  return recordsIn(fieldsIn(spec)['metrics']).flatMap((metric): Rows => {
    const name = textIn(metric['name']) ?? '';
    const result = results.find((one) => one['name'] === name);
    const threshold = conditionsOf(metric);
    const values = recordsIn(result?.['measurements']).slice(-SHOWN).toReversed();
    if (values.length === 0) return [[name, '', threshold, phaseIn(result), '']];
    return values.map((measurement) => {
      const value = textIn(measurement['value']) ?? textIn(measurement['message']) ?? '';
      const time = textIn(measurement['finishedAt']) ?? '';
      return [name, short(value), threshold, phaseIn(measurement), time];
    });
  });
}

const phaseIn = (measured: Fields | undefined): TableCell =>
  verdictCell(textIn(measured?.['phase']) ?? 'Pending');

function conditionsOf(metric: Fields): string {
  const said = [
    ['passes when', textIn(metric['successCondition'])],
    ['fails when', textIn(metric['failureCondition'])],
  ] as const;
  return said.flatMap(([words, text]) => (text === undefined ? [] : [`${words} ${short(text)}`])).join('; ');
}

/** The samples of a Check: the last values against its bounds. */
export function metricsOfCheck({ metadata: { name }, spec, status = {} }: Check): Rows {
  const { phase = 'Pending', analysis = {} } = status;
  const bounds = thresholdOf(spec.analysis);
  const results = (analysis.results ?? []).slice(-SHOWN).toReversed();
  if (results.length === 0) return [[name, '', bounds, verdictCell(phase), '']];
  return results.map(({ value, message = '', threshold = bounds, outcome, time }) => [
    name,
    value === undefined ? short(message) : String(value),
    threshold,
    verdictCell(outcome),
    time,
  ]);
}

const runsOfExperiment = (experiment: unknown): readonly string[] =>
  recordsIn(fieldsIn(fieldsIn(experiment)['status'])['analysisRuns']).flatMap(
    (run) => textIn(run['analysisRun']) ?? [],
  );
