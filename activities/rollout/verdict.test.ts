import { describe, expect, it } from 'vitest';
import { analysisActivities } from './analysis.ts';
import { experimentActivities } from './experiment.ts';
import { ANALYSIS_RUN } from '../../clients/kubernetes/kinds.ts';
import type { KubernetesClient } from '../../clients/kubernetes/kubernetes.ts';

/** An API server whose objects all have this status. */
function having(status: object, spec: object = {}): KubernetesClient {
  const get = async () => await Promise.resolve({ spec, status });
  return { get } as unknown as KubernetesClient;
}

type Had = Parameters<typeof having>;
const key = { namespace: 'default', name: 'run' };
const readers = [
  ['an AnalysisRun', (...of: Had) => analysisActivities(having(...of)).readAnalysis(key)],
  ['an Experiment', (...of: Had) => experimentActivities(having(...of)).readExperiment(key)],
] as const;

describe.each(readers)('the verdict of %s', (_, read) => {
  it('is what Argo Rollouts says', async () => {
    const said = { phase: 'Failed', message: 'The rate was 0.5.' };
    expect(await read(said)).toEqual({ name: 'run', ...said });
  });

  it.each([['Success'], [{ is: 'Successful' }]])(
    'decides nothing when someone has set it to %j',
    async (phase) => {
      const verdict = await read({ phase });
      expect(verdict.phase).toBe('Inconclusive');
      expect(verdict.message).toContain('invalid status.phase: must be Successful or Failed, not ');
    },
  );

  it('says whether someone has asked for its end', async () => {
    const said = { phase: 'Successful', message: 'Run Terminated' };
    expect(await read(said, { terminate: true })).toEqual({ name: 'run', ...said, ended: true });
    expect(await read(said)).not.toHaveProperty('ended');
  });

  it('is kept as far as a person would read it', async () => {
    const { message } = await read({ phase: 'Error', message: '<p>'.repeat(50_000) });
    expect(message).toHaveLength(4096);
    expect(message.endsWith('…')).toBe(true);
  });
});

describe('a successful Experiment', () => {
  const reading = (metricResults: readonly object[]) => {
    const analysisRuns = [{ name: 'rate', analysisRun: 'run-rate' }];
    const get = (kind: object) =>
      Promise.resolve(
        kind === ANALYSIS_RUN
          ? { status: { phase: 'Successful', metricResults } }
          : { spec: {}, status: { phase: 'Successful', analysisRuns } },
      );
    return experimentActivities({ get } as unknown as KubernetesClient).readExperiment(key);
  };

  it('is inconclusive when an analysis of it has no successful measurement', async () => {
    expect(await reading([{ name: 'rate', phase: 'Successful', failed: 1 }])).toMatchObject({
      phase: 'Inconclusive',
      message: expect.stringContaining('metric rate of AnalysisRun run-rate') as string,
    });
    expect(await reading([])).toMatchObject({ phase: 'Inconclusive' });
    expect(await reading([{ name: 'rate', phase: 'Successful', successful: 1 }])).toMatchObject({
      phase: 'Successful',
    });
  });
});
