import { describe, expect, it } from 'vitest';
import { aStepAnalysis, theVariables } from '../testing/checks.ts';
import { checksFor } from './checks-for.ts';

const canary = [theVariables('mycluster-web-1-v2'), theVariables('mycluster-web-2-v2')];
const stable = [theVariables('mycluster-web-1-v1', { version: '1.0.0' })];
const of = (written: object) =>
  checksFor({ name: 'mysystem-dd', analysis: aStepAnalysis(written), canary, stable });

describe('the Checks of a check', () => {
  it('A-K01 are one for each cluster, when their queries differ', () =>
    expect(of({ query: 'avg:errors{cluster:{{.Vars.clusterName}}}', max: 0.1 })).toMatchObject({
      ok: true,
      value: [
        {
          name: 'mysystem-dd-mycluster-web-1-v2',
          analysis: { query: 'avg:errors{cluster:mycluster-web-1-v2}', interval: '10s', max: 0.1 },
        },
        {
          name: 'mysystem-dd-mycluster-web-2-v2',
          analysis: { query: 'avg:errors{cluster:mycluster-web-2-v2}', interval: '10s', max: 0.1 },
        },
      ],
    }));

  it('A-K02 are one for all, when they do not', () =>
    expect(of({ query: 'avg:errors{version:{{.Vars.version}}}' })).toMatchObject({
      ok: true,
      value: [
        { name: 'mysystem-dd', analysis: { query: 'avg:errors{version:2.0.0}', count: 1, alignTo: 'step' } },
      ],
    }));

  it('have names of their own though a number makes one that there is', () => {
    const groups = ['prod', 'prod-3', 'prod'].map((cluster, index) => ({
      ...theVariables(cluster),
      targetGroupARN: `arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/g${index}/1`,
    }));
    const analysis = aStepAnalysis({ query: 'avg:e{{{.Vars.targetGroupARN}}}' });
    const checks = (name: string) => checksFor({ name, analysis, canary: groups, stable });
    const names = (name: string): readonly string[] => {
      const made = checks(name);
      return made.ok ? made.value.map((check) => check.name) : made.problems;
    };
    expect(names('a')).toEqual(['a-prod', 'a-prod-3', 'a-prod-4']);
    // Where the name is as long as it may be, the number has room all the same.
    expect(new Set(names('a'.repeat(252))).size).toBe(3);
  });

  it('have names of objects, whatever a cluster is called', () => {
    const groups = ['arn:aws:eks:eu-west-1:111122223333:cluster/Blue', 'a._b'].map((cluster) => ({
      ...theVariables(cluster),
      targetGroupARN: `arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/${cluster.length}/1`,
    }));
    const analysis = aStepAnalysis({ query: 'avg:e{{{.Vars.targetGroupARN}}}' });
    const made = checksFor({ name: 'a', analysis, canary: groups, stable });
    expect(made.ok ? made.value.map(({ name }) => name) : made.problems).toEqual([
      'a-arn-aws-eks-eu-west-1-111122223333-cluster-blue',
      'a-a--b',
    ]);
  });

  it('refuse groups that are compared with the other side, which has groups as well', () =>
    expect(
      of({
        query: 'avg:e{v:{{.Vars.version}}} by {pod}',
        groupBy: { judge: 'worst' },
        compare: { to: 'stable', maxRatio: 2 },
      }),
    ).toMatchObject({ ok: false, problems: [expect.stringContaining('Cannot use compare with groupBy')] }));

  it('have names of their own when two clusters have the same', () => {
    const twins = [
      theVariables('web'),
      {
        ...theVariables('web'),
        targetGroupARN: 'arn:aws:elasticloadbalancing:eu-west-1:111122223333:targetgroup/other/1',
      },
    ];
    const checks = checksFor({
      name: 'a',
      analysis: aStepAnalysis({ query: 'avg:e{{{.Vars.targetGroupARN}}}' }),
      canary: twins,
      stable,
    });
    expect(checks.ok && checks.value.map(({ name }) => name)).toEqual(['a-web', 'a-web-2']);
  });

  it('ask the other side the same, and know whose targets to count', () =>
    expect(
      of({
        query: 'sum:errors{cluster:{{.Vars.clusterName}}}',
        compare: { to: 'stable', maxRatio: 2, normalise: 'perTarget' },
      }),
    ).toMatchObject({
      ok: true,
      value: [
        {
          analysis: {
            compare: {
              maxRatio: 2,
              baselines: [{ query: 'sum:errors{cluster:mycluster-web-1-v1}' }],
              targetGroupARNs: { canary: [canary[0]?.targetGroupARN], stable: [stable[0]?.targetGroupARN] },
            },
          },
        },
        { name: 'mysystem-dd-mycluster-web-2-v2' },
      ],
    }));

  it('fill variables in wherever something is asked', () => {
    const dimension = (value: string) => ({
      id: 'm',
      namespace: 'AWS/ApplicationELB',
      metricName: 'x',
      stat: 'Sum',
      dimensions: [{ name: 'TargetGroup', value }],
    });
    const checks = of({
      query: undefined,
      provider: { cloudWatch: { metrics: [dimension('{{.Vars.targetGroupFullName}}')] } },
      minSamples: { query: 'm{{.Vars.version}}', atLeast: 1 },
    });
    expect(checks).toMatchObject({
      ok: true,
      value: [
        {
          analysis: {
            provider: {
              cloudWatch: { metrics: [dimension('targetgroup/mycluster-web-1-v2/0123456789abcdef')] },
            },
            minSamples: { query: 'm2.0.0' },
          },
        },
        {},
      ],
    });
  });

  it.each<[string, object, string]>([
    [
      'an expression of nothing that is known',
      { max: undefined, pass: 'baseline < 1.0' },
      'Unknown variable: baseline',
    ],
  ])('are refused with %s', (_, written, message) =>
    expect(of(written)).toEqual({ ok: false, problems: [expect.stringContaining(message)] }),
  );

  it('are refused when there is nothing to compare with', () => {
    const analysis = aStepAnalysis({ compare: { to: 'stable', maxRatio: 2 } });
    expect(checksFor({ name: 'a', analysis, canary, stable: [] })).toMatchObject({ ok: false });
  });
});
