import { describe, expect, it } from 'vitest';
import type { Check } from '../../crds/check.ts';
import { aStepAnalysis } from '../../domain/testing/checks.ts';
import type { CheckRequest } from '../contract.ts';
import { checkStepActivities } from './step.ts';
import { aClusterSecret, Objects } from './testing/objects.ts';

const group = (name: string) => ({
  name,
  arn: `arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/${name}/1`,
});
const key = { namespace: 'shop', name: 'web-dd-1-abc' };

const request = (query: string): CheckRequest => ({
  cell: { key: { namespace: 'shop', name: 'web' }, uid: 'uid-of-web' },
  name: key.name,
  rollout: 'abc',
  step: 1,
  desiredVersion: '2.0.0',
  check: { name: 'dd', analysis: aStepAnalysis({ query }) },
  listenerARN: 'arn:aws:elasticloadbalancing:eu-west-1:111122223333:listener/app/shop/1/2',
  canary: { version: '2.0.0', groups: [group('c1'), group('c2')] },
  stable: { version: '1.0.0', groups: [group('s1')] },
});

/** The AWSTargetGroups of two clusters, one of which has tags. */
function theStep() {
  const objects = new Objects();
  for (const name of ['c1', 'c2', 's1'])
    objects.put({
      kind: 'AWSTargetGroup',
      metadata: {
        name,
        labels: { role: 'web' },
        annotations: { 'okra.mumo.co/target-group-binding': `cluster-${name}/web/web` },
      },
    });
  objects.put(aClusterSecret('cluster-c1', { team: 'a' }));
  objects.put(aClusterSecret('cluster-c2', { team: 'b' }));
  const set = (name: string, phase: string): void => {
    const check = objects.all.get(`Check/${name}`)!;
    const observedHash = (check.metadata['annotations'] as Record<string, string>)['analysis-hash'];
    objects.all.set(`Check/${name}`, {
      ...check,
      status: { phase, message: `${phase}.`, analysis: { observedHash } },
    });
  };
  const checks = (): readonly Check[] => objects.of('Check') as unknown as readonly Check[];
  return { objects, checks, set, ...checkStepActivities(objects.client()) };
}

describe('the Checks of a step', () => {
  it('are one for each cluster when their queries differ, of the Cell, with labels and a hash', async () => {
    const step = theStep();
    const verdict = await step.startCheck(
      request('avg:e{cluster:{{.Vars.clusterName}},team:{{.Vars.tags.team}}}'),
    );
    expect(verdict).toMatchObject({ name: key.name, phase: 'Pending' });
    expect(step.checks().map(({ metadata, spec }) => [metadata.name, spec.analysis.query])).toEqual([
      ['web-dd-1-abc-cluster-c1', 'avg:e{cluster:cluster-c1,team:a}'],
      ['web-dd-1-abc-cluster-c2', 'avg:e{cluster:cluster-c2,team:b}'],
    ]);
    expect(step.checks()[0]?.metadata).toMatchObject({
      labels: { 'okra.mumo.co/cell': 'web', 'okra.mumo.co/rollout': 'abc', 'okra.mumo.co/step-index': '1' },
      annotations: { 'analysis-hash': expect.stringMatching(/^[0-9a-f]{64}$/) as string },
      ownerReferences: [{ kind: 'Cell', name: 'web', uid: 'uid-of-web' }],
    });
  });

  it('are made once, and completed after a crash', async () => {
    const step = theStep();
    const asked = request('avg:e{cluster:{{.Vars.clusterName}}}');
    await step.startCheck(asked);
    step.objects.all.delete('Check/web-dd-1-abc-cluster-c2');
    await step.startCheck(asked);
    await step.startCheck(asked);
    expect(step.checks()).toHaveLength(2);
  });

  it('pass together, and fail alone', async () => {
    const step = theStep();
    await step.startCheck(request('avg:e{cluster:{{.Vars.clusterName}}}'));
    step.set('web-dd-1-abc-cluster-c1', 'Successful');
    expect(await step.readCheck(key)).toMatchObject({ phase: 'Pending' });
    step.set('web-dd-1-abc-cluster-c2', 'Successful');
    expect(await step.readCheck(key)).toMatchObject({ phase: 'Successful' });
    step.set('web-dd-1-abc-cluster-c2', 'Failed');
    expect(await step.readCheck(key)).toMatchObject({
      phase: 'Failed',
      message: 'web-dd-1-abc-cluster-c2: Failed.',
    });
  });

  it('are ended together, but for those that have ended', async () => {
    const step = theStep();
    await step.startCheck(request('avg:e{cluster:{{.Vars.clusterName}}}'));
    step.set('web-dd-1-abc-cluster-c1', 'Successful');
    await step.terminateCheck(key);
    expect(step.checks().map(({ spec }) => spec.terminate)).toEqual([undefined, true]);
  });

  it('are not made with a variable that nobody knows', async () => {
    const step = theStep();
    await expect(step.startCheck(request('avg:e{v:{{.Vars.versio}}}'))).rejects.toMatchObject({
      type: 'CheckInvalid',
      message: expect.stringContaining('Did you mean {{.Vars.version}}?') as string,
    });
    expect(step.checks()).toEqual([]);
  });

  it('that were deleted are an error, and no success', async () => {
    const step = theStep();
    expect(await step.readCheck(key)).toMatchObject({ phase: 'Error' });
  });
});
