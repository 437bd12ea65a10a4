import type { Cell } from '../../crds/cell.ts';
import type { Check } from '../../crds/check.ts';
import { ANALYSIS_RUN, CHECK, EXPERIMENT } from '../../clients/kubernetes/kinds.ts';
import { isForbidden, type KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';
import { RUN_LABEL } from '../../domain/checks/verdict.ts';
import { inOneLine } from '../terminal-text.ts';
import { metricsOfCheck, metricsOfRun, runsOfExperiment } from './measured.ts';
import { messageOf, type Troubled } from './troubled.ts';
import { toneOfVerdict } from './tone.ts';
import type { MetricView, VerdictView } from './view.ts';

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
    ['AnalysisRun in the background', backgroundAnalysisRun, runOf],
  ];
  let unread: string | undefined;
  // The rest is worth showing all the same.
  const without = (error: unknown): readonly MetricView[] => {
    if (!isForbidden(error)) unread = messageOf(error);
    return [];
  };
  const verdicts = await Promise.all(
    all.flatMap(([kind, measured, read]) => {
      if (measured === undefined) return [];
      const { name, phase, message } = measured;
      return [
        read(name)
          .catch(without)
          .then((metrics): VerdictView => ({
            kind,
            name,
            phase,
            tone: toneOfVerdict(phase),
            message: inOneLine(message),
            metrics,
          })),
      ];
    }),
  );
  troubled('Measurements', unread);
  return verdicts;
}
