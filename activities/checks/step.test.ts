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

  describe('in which a cluster is asked for', () => {
    const query = 'avg:e{cluster:{{.Vars.eksClusterName}},team:{{.Vars.tags.team}}}';
    const secretOf = (secret: string, cluster: string, team: string) => ({
      ...aClusterSecret(secret, { team }),
      data: { name: Buffer.from(cluster).toString('base64') },
    });
    const asked = async (objects: Objects, of: Partial<CheckRequest> = {}, text = query) => {
      const canary = { version: '2.0.0', groups: [group('c1')] };
      const stable = { version: '1.0.0', groups: [] };
      await checkStepActivities(objects.client()).startCheck({ ...request(text), canary, stable, ...of });
      return (objects.of('Check') as unknown as readonly Check[]).map(({ spec }) => spec.analysis.query);
    };
    const groupOf = (annotations: object, labels: Readonly<Record<string, string>> = {}) => {
      const objects = new Objects();
      objects.put({ kind: 'AWSTargetGroup', metadata: { name: 'c1', annotations, labels } });
      return objects;
    };
    const source = { 'okra.mumo.co/target-group-binding': 'cluster-abcd.eks.amazonaws.com-18/web/web' };
    const label = { 'okra.mumo.co/target-group-binding-cluster': 'prod' };

    it('name it and its tags by the Secret that its target group was found by', async () => {
      const objects = groupOf(source, label);
      objects.put(secretOf('cluster-abcd.eks.amazonaws.com-18', 'prod', 'a'));
      objects.put(secretOf('prod', 'prod', 'b'));
      expect(await asked(objects)).toEqual(['avg:e{cluster:prod,team:a}']);
    });

    it('name it in full, where a label cannot', async () => {
      const name = `arn:aws:eks:eu-west-1:111122223333:cluster/${'prod'.repeat(20)}`;
      const objects = groupOf(source, { 'okra.mumo.co/target-group-binding-cluster': 'prodprod' });
      objects.put(secretOf('cluster-abcd.eks.amazonaws.com-18', name, 'a'));
      expect(await asked(objects, {}, 'avg:e{cluster:{{.Vars.clusterName}}}')).toEqual([
        `avg:e{cluster:${name}}`,
      ]);
    });

    it('name it by the label while its Secret is gone', async () => {
      const objects = groupOf(source, label);
      expect(await asked(objects, {}, 'avg:e{cluster:{{.Vars.clusterName}}}')).toEqual([
        'avg:e{cluster:prod}',
      ]);
    });

    it('use the tags of the only cluster of that name, and those of none of two', async () => {
      const objects = groupOf({}, label);
      objects.put(secretOf('one', 'prod', 'a'));
      expect(await asked(objects)).toEqual(['avg:e{cluster:prod,team:a}']);
      const doubtful = groupOf({}, label);
      doubtful.put(secretOf('one', 'prod', 'a'));
      doubtful.put(secretOf('two', 'prod', 'b'));
      await expect(asked(doubtful)).rejects.toMatchObject({ type: 'CheckInvalid' });
    });

    it('use the tags of its Secret without a target group', async () => {
      const objects = new Objects();
      objects.put(secretOf('prod-a', 'Prod_A', 'a'));
      const clusters = [{ clusterName: 'Prod_A', secretName: 'prod-a', labels: {} }];
      const canary = { version: '', groups: [] };
      expect(await asked(objects, { clusters, canary })).toEqual(['avg:e{cluster:Prod_A,team:a}']);
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
    await expect(step.startCheck(request('avg:e{v:{{.Vars.labels.rol}}}'))).rejects.toMatchObject({
      type: 'CheckInvalid',
      message: expect.stringContaining(
        'has no label "rol". Add it, or use another variable. Did you mean role?',
      ) as string,
    });
    expect(step.checks()).toEqual([]);
  });

  it('that were deleted are an error, and no success', async () => {
    const step = theStep();
    expect(await step.readCheck(key)).toMatchObject({ phase: 'Error' });
  });
});
