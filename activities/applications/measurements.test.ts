import { describe, expect, it } from 'vitest';
import { MemoryKubernetes } from '../staged/testing/memory.ts';
import { findMeasurements } from './measurements.ts';

const cell = { key: { namespace: 'default', name: 'mysystem' }, uid: 'u' };
const run = 'mysystem-web-dd-post-2-abcdef01';

const metadata = (name: string, more: object = {}) => ({
  namespace: 'default',
  name,
  labels: {
    'okra.mumo.co/cell': 'mysystem',
    'okra.mumo.co/rollout': 'web',
    'okra.mumo.co/check-run': run,
  },
  ownerReferences: [{ apiVersion: 'okra.mumo.co/v1alpha1', kind: 'Cell', name: 'mysystem', uid: 'u' }],
  ...more,
});

describe('what was started for an application', () => {
  const { client } = new MemoryKubernetes();
  const found = async () => (await findMeasurements(client, cell)).get('web');

  it('was not successful when someone has ended its AnalysisRun early, whatever Argo Rollouts calls that', async () => {
    const { client: other } = new MemoryKubernetes();
    await other.create({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AnalysisRun',
      metadata: metadata(run),
      spec: { terminate: true },
      status: { phase: 'Successful', message: 'Run Terminated' },
    } as never);
    expect((await findMeasurements(other, cell)).get('web')).toMatchObject([
      { name: run, phase: 'Inconclusive', isEnding: true },
    ]);
  });

  it.each([
    [
      'without a successful measurement is inconclusive',
      { phase: 'Successful', metricResults: [{ name: 'smoke', failed: 1 }] },
      { phase: 'Inconclusive' },
    ],
    [
      'with one is successful',
      { phase: 'Successful', metricResults: [{ name: 'smoke', successful: 1 }] },
      { phase: 'Successful' },
    ],
    ['that nothing has begun is pending', undefined, { phase: 'Pending', message: '' }],
  ])('says that an AnalysisRun %s', async (_, status, expected) => {
    const { client: other } = new MemoryKubernetes();
    const object = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AnalysisRun',
      metadata: metadata(run),
      spec: {},
      status,
    };
    await other.create(object as never);
    expect((await findMeasurements(other, cell)).get('web')).toMatchObject([expected]);
  });

  it('says of Checks whether some are missing, and whether the end of all that measure was asked for', async () => {
    const made = (name: string, spec: object, status: object) =>
      client.create({
        apiVersion: 'okra.mumo.co/v1alpha1',
        kind: 'Check',
        metadata: metadata(name, { annotations: { 'okra.mumo.co/check-count': '2' } }),
        spec: { analysis: {}, ...spec },
        status,
      } as never);
    await made(`${run}-a`, {}, { phase: 'Successful' });
    expect(await found()).toMatchObject([{ name: run, phase: 'Error', isPartial: true }]);
    await made(`${run}-b`, { terminate: true }, { phase: 'Running' });
    expect(await found()).toEqual([{ name: run, phase: 'Running', message: '', isEnding: true }]);
  });
});
