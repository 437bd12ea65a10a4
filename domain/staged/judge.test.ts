import { describe, expect, it } from 'vitest';
import { nginx } from '../../test/support/samples/staged.ts';
import { compileCondition } from './cel/expression.ts';
import { judgeObject, type Evidence } from './judge.ts';
import { aCombinedStatus, aReport, anObject, POLICY } from './testing/builders.ts';

const compiled = compileCondition(nginx.stages[0].condition);
if (compiled.is === 'Problem') throw new Error(compiled.problem);
const published = compiled.test;
const always = { is: 'True' } as const;

const T0 = Date.parse('2026-11-22T08:00:00Z');
const evidence = (...statuses: Evidence['statuses']): Evidence => ({
  policy: POLICY,
  clusters: ['d1'],
  statuses,
});
const fulfilling = aCombinedStatus();

describe('an object of a stage', () => {
  it('fulfils it when every cluster has reported on the object as it is, and the condition holds', () => {
    expect(judgeObject(anObject(), evidence(fulfilling), published)).toEqual({ is: 'Fulfilled' });
  });

  it('does not while the condition does not hold', () => {
    const status = aCombinedStatus({ float: '0' });
    expect(judgeObject(anObject(), evidence(status), published)).toMatchObject({
      is: 'Unfulfilled',
      reason: 'The condition does not hold yet.',
    });
  });

  it.each([
    ['no CombinedStatus', evidence(), 'No CombinedStatus for this BindingPolicy yet'],
    [
      'a CombinedStatus of another BindingPolicy',
      evidence(aCombinedStatus({ policy: { name: 'web-prod', uid: 'p-2' } })),
      'No CombinedStatus for this BindingPolicy yet',
    ],
    [
      'a CombinedStatus of an older BindingPolicy of that name',
      evidence(aCombinedStatus({ policy: { ...POLICY, uid: 'p-0' } })),
      'No CombinedStatus for this BindingPolicy yet',
    ],
    [
      'a CombinedStatus of another object',
      evidence(aCombinedStatus({ object: anObject({ name: 'other' }) })),
      'No CombinedStatus for this BindingPolicy yet',
    ],
    [
      'a CombinedStatus of an object of that name in another namespace',
      evidence(aCombinedStatus({ object: anObject({ namespace: 'other' }) })),
      'No CombinedStatus for this BindingPolicy yet',
    ],
    [
      'two of them, of which one is about a deleted object',
      evidence(fulfilling, aCombinedStatus({ uid: 'o-0' })),
      'Several CombinedStatuses',
    ],
    [
      'no report of Okra’s StatusCollector',
      evidence(aCombinedStatus({ reports: [] })),
      'Cluster d1 has not reported on the latest version',
    ],
    [
      'a report from one of two clusters',
      { ...evidence(fulfilling), clusters: ['d1', 'd2'] },
      'Cluster d2 has not reported on the latest version',
    ],
    [
      'a report on an object that was deleted and made again',
      evidence(aCombinedStatus({ reports: [aReport({ uid: 'o-0' })] })),
      'Cluster d1 has not reported on the latest version',
    ],
    ['empty rows, of which all() holds', evidence(aCombinedStatus({ rows: [] })), 'reported no rows'],
    [
      'no result of its StatusCollector',
      evidence(aCombinedStatus({ collector: 'another' })),
      'StatusCollector deployments-aggregator has no result yet',
    ],
    [
      'rows that were left out for an error',
      evidence(
        aCombinedStatus({
          rowErrors: [{ wec: { clusterId: 'd2' }, columnName: 'count', error: 'no such key' }],
        }),
      ),
      'no such key',
    ],
    [
      'an aggregation that failed',
      evidence(aCombinedStatus({ aggregationErrors: [{ columnName: 'count', error: 'not a number' }] })),
      'not a number',
    ],
    [
      'the error of an expression, which KubeStellar writes into the column',
      evidence(
        aCombinedStatus({
          rows: [
            {
              columns: [
                { type: 'String', string: 'failed to evaluate expression: no such key: readyReplicas' },
              ],
            },
          ],
        }),
      ),
      'no value in column count: failed to evaluate expression: no such key: readyReplicas',
    ],
    ...['+Inf', '-Inf', 'NaN'].map((float): [string, Evidence, string] => [
      `${float}, which is what KubeStellar makes of no cluster`,
      evidence(aCombinedStatus({ float })),
      `no value in column count: got ${float}`,
    ]),
  ])('does not by %s', (_, found, why) => {
    const judgement = judgeObject(anObject(), found, () => always);
    expect(judgement).toMatchObject({ is: 'Unfulfilled', reason: expect.stringContaining(why) as string });
  });

  it.each(['0', '-3', '2.5', '1e+06', '18446744073709551615'])('may by the number %s', (float) => {
    expect(judgeObject(anObject(), evidence(aCombinedStatus({ float })), () => always)).toEqual({
      is: 'Fulfilled',
    });
  });

  it('does not by results that are from before an edit, until someone has looked when that was', () => {
    const edited = anObject({ resourceVersion: '8' });
    expect(judgeObject(edited, evidence(fulfilling), published)).toMatchObject({ is: 'Doubtful' });
    const at = (editedAt: number, uid = 'o-1') => ({ ...evidence(fulfilling), now: { uid, editedAt } });
    expect(judgeObject(edited, at(T0 + 1), published)).toMatchObject({
      is: 'Unfulfilled',
      reason: expect.stringContaining('since the last edit') as string,
    });
    expect(judgeObject(edited, at(T0), published)).toMatchObject({ is: 'Unfulfilled' });
    expect(judgeObject(edited, at(T0 - 1, 'o-2'), published)).toMatchObject({ is: 'Unfulfilled' });
    // Its status was written since, and not the object.
    expect(judgeObject(edited, at(T0 - 1), published)).toEqual({ is: 'Fulfilled' });
  });

  it('is told why a condition can say nothing', () => {
    const broken = judgeObject(anObject(), evidence(fulfilling), () => ({
      is: 'Error',
      message: 'No such key: float',
    }));
    expect(broken).toMatchObject({
      is: 'Unfulfilled',
      reason: expect.stringContaining('No such key: float') as string,
    });
  });

  it('shows its condition nothing of Okra’s own StatusCollector', () => {
    const only = compileCondition("obj.results.all(r, r.name == 'deployments-aggregator')");
    expect(
      judgeObject(anObject(), evidence(fulfilling), only.is === 'Compiled' ? only.test : undefined),
    ).toEqual({
      is: 'Fulfilled',
    });
  });
});
