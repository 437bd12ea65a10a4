import { describe, expect, it } from 'vitest';
import type { AWSTargetGroup } from '../../crds/aws-target-group.ts';
import type { CanaryStep, Cell } from '../../crds/cell.ts';
import type { ClusterSet } from '../../crds/cluster-set.ts';
import { statusIn } from '../../clients/temporal/weight-history.ts';
import type { Freeze } from '../../crds/freeze.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import type { Check } from '../../crds/check.ts';
import { aCell, arnOf, paused } from '../okractl/testing/objects.ts';
import { type CellPage, cellPageOf, type CellSources, policyPageOf } from './cell-page.ts';
import { clustersOf, headOf } from './feeds.ts';
import { metricsOfCheck, metricsOfRun } from './verdicts.ts';
import { draw } from '../okractl/tree.ts';
import { rowOf, rowOfPolicy } from './rows.ts';
import { nothingWatched } from '../okractl/watched.ts';
import { formatKey, keyOf } from '../../domain/model/ids.ts';
import { SOURCE_ANNOTATION } from '../../domain/kubernetes/labels.ts';

const now = Date.parse('2026-11-22T10:00:00Z');
const asked = { is: 'Nothing' } as const;
const pageOf = (cell: Cell, given: Partial<CellSources> = {}) =>
  cellPageOf(
    {
      cell,
      asked,
      row: rowOf({ cell, asked }),
      freezes: [],
      groups: new Map(),
      told: undefined,
      seen: [],
      verdicts: [],
      events: [],
      offers: [],
      ...given,
    },
    now,
  );

const tableIn = ({ tables, beside }: CellPage, title: string) =>
  [...beside, ...tables].find((table) => table.title === title);
const rowsOf = (page: CellPage, title: string) => tableIn(page, title)?.rows ?? [];
const gatesOf = (page: CellPage) => rowsOf(page, 'Gates');

describe('the page of a Cell', () => {
  it('says where the steps stand, since when, and what comes next', () => {
    const rollout = {
      ...paused.rollout!,
      stepStartedAt: '2026-11-22T09:57:00Z',
      stepEndsAt: '2026-11-22T10:07:00Z',
    };
    const { steps, next } = pageOf(aCell({ ...paused, rollout }));
    expect(steps).toEqual([
      { text: "set the canary's weight to 20", stands: 'Done' },
      {
        text: 'pause until resumed',
        stands: 'Current',
        since: '2026-11-22T09:57:00Z',
        endsAt: '2026-11-22T10:07:00Z',
      },
      { text: "set the canary's weight to 50", stands: 'Ahead' },
      { text: 'all traffic', stands: 'Ahead' },
    ]);
    expect(next).toBe("set the canary's weight to 50");
  });

  it('says how many targets of each group are healthy, and what AWS has against one', () => {
    const targetGroups = [
      { ...paused.targetGroups![0]!, healthyTargets: 2, targets: 3 },
      { ...paused.targetGroups![1]!, healthyTargets: 0, targets: 1 },
    ];
    const message = 'AWS knows no such target group.';
    const conditions = [
      {
        type: 'Ready',
        status: 'False',
        reason: 'TargetGroupNotFound',
        message,
        lastTransitionTime: '',
      } as const,
    ];
    const groups = new Map([['default/web-b', { ...groupIn('default', 'web-b'), status: { conditions } }]]);
    const table = tableIn(pageOf(aCell({ ...paused, targetGroups }), { groups }), 'Target groups');
    expect(table?.headings[5]).toBe('Healthy');
    expect(table?.rows.map((row) => row[5])).toEqual([
      { tone: 'Held', text: '2/3 healthy' },
      { tone: 'Bad', text: `0/1 healthy: ${message}` },
    ]);
  });

  it('marks the step at which a rollout has failed', () => {
    const ending = { kind: 'Failed', reason: 'Aborted', message: '', time: '2026-11-22T09:59:00Z' } as const;
    const { steps } = pageOf(aCell({ ...paused, rollout: { ...paused.rollout!, ending } }));
    expect(steps.map(({ stands }) => stands)).toEqual(['Done', 'Failed', 'Ahead', 'Ahead']);
  });

  it('marks it also when all traffic is back, by the history in Temporal', () => {
    const { rollout, step, ...status } = paused;
    const ending = { kind: 'Failed', reason: 'Aborted', message: '', time: '2026-11-22T09:59:00Z' } as const;
    const times = { startedAt: '2026-11-22T09:55:00Z', endedAt: '2026-11-22T09:59:30Z' };
    const change = { version: '2.0.0', outcome: 'Reverted', message: '', ...times } as const;
    const at = Date.parse(ending.time);
    const told = {
      versions: {},
      told: [{ at, status: statusIn({ step, rollout: { ...rollout, ending } }) }],
    };
    const { steps } = pageOf(aCell({ ...status, phase: 'Reverted', history: [change] }), { told });
    expect(steps.map(({ stands }) => stands)).toEqual(['Done', 'Failed', 'Ahead', 'Ahead']);
  });

  it('has the reason of the Cell, and those of conditions that are not as they should be', () => {
    const condition = (type: string, status: 'True' | 'False', reason: string) => ({
      type,
      status,
      reason,
      message: '',
      lastTransitionTime: '2026-11-22T09:59:00Z',
    });
    const conditions = [
      condition('Ready', 'False', 'WaitingForResume'),
      condition('Degraded', 'True', 'UnhealthyTargets'),
      condition('TargetGroupsAccepted', 'False', 'MissingVersion'),
      condition('TargetsHealthy', 'True', 'Healthy'),
    ];
    expect(pageOf(aCell({ ...paused, conditions })).reasons).toEqual([
      'WaitingForResume',
      'UnhealthyTargets',
      'MissingVersion',
    ]);
  });

  it('shows a step of a kind that this release does not know', () => {
    const steps = [{ setWeight: 20 }, { wait: {} } as unknown as CanaryStep];
    const page = pageOf(aCell({}, { updateStrategy: { type: 'Canary', canary: { steps } } }));
    expect(page.steps[1]).toEqual({ text: 'wait, which this release does not know', stands: 'Ahead' });
  });

  it('says what holds it, and when a window opens', () => {
    const windows = [{ timeZone: 'UTC', start: '11:00', end: '12:00' }];
    const freezes = [{ name: 'sale', by: 'ops', reason: 'peak', until: now + 60_000 }];
    expect(gatesOf(pageOf(aCell(paused, { windows }), { freezes }))).toEqual([
      [
        { text: 'Freeze', tone: 'Held', reason: 'WaitingForFreeze' },
        'sale by ops: peak',
        '2026-11-22T10:01:00.000Z',
      ],
      [
        { text: 'Window', tone: 'Held', reason: 'WaitingForWindow' },
        'closed; opens',
        '2026-11-22T11:00:00.000Z',
      ],
      [{ text: 'Pause', tone: 'Idle' }, 'not paused', ''],
      [{ text: 'Health', tone: 'Idle' }, 'at least 1 healthy in each target group that gains weight', ''],
    ]);
  });

  it.each([
    ['WaitingForClusters', 'Clusters'],
    ['WaitingForApplication', 'Applications'],
  ])('shows what holds it elsewhere while that holds: %s', (reason, name) => {
    const held = [{ text: name, tone: 'Held', reason }, 'Held.', ''];
    expect(gatesOf(pageOf(aCell({ ...paused, reason, message: 'Held.' })))).toContainEqual(held);
    const names = gatesOf(pageOf(aCell(paused))).map(([gate]) => gate);
    expect(names).not.toContainEqual(expect.objectContaining({ text: name }));
  });

  it('has the tables of okractl, with tones, and where an application leads to', () => {
    const time = '2026-11-22T09:00:00Z';
    const change = { version: '1.0.0', from: '0.9.0', outcome: 'Reverted', message: 'Errors.' } as const;
    const child = { name: 'web-api', weight: 10 };
    const failed = { message: 'It broke.', time } as never;
    const page = pageOf(
      aCell({
        history: [{ ...change, startedAt: time, endedAt: time }],
        applications: [{ name: 'api', phase: 'Migrating', child, failed }],
        approval: { count: 2, lacking: 1, groups: ['release'] },
      }),
    );
    const of = (title: string) => tableIn(page, title);
    expect(of('History')?.headings.slice(0, 2)).toEqual(['Ended', 'Took']);
    expect(of('History')?.rows).toEqual([
      [time, '0s', '0.9.0', '1.0.0', { text: 'Reverted', tone: 'Bad' }, '-', 'Errors.'],
    ]);
    expect(of('Applications')?.rows[0]).toEqual([
      'api',
      { text: 'Migrating', tone: 'Bad' },
      '-',
      { text: '10 by Cell web-api', href: '#/cells/default/web-api' },
      '-',
      'It broke.',
    ]);
    expect(of('Approvals')).toMatchObject({ text: '1 of 2 given, 1 more needed from release.', rows: [] });
  });

  it('gives nothing away of what is not shown', () => {
    const cell = {
      ...aCell(paused),
      metadata: { ...aCell().metadata, annotations: { 'example.com/token': 's3cret' } },
    };
    expect(JSON.stringify(pageOf(cell))).not.toContain('s3cret');
  });
});

describe('what measures', () => {
  it('shows the last values of an AnalysisRun against its conditions', () => {
    const run = {
      spec: {
        metrics: [
          {
            name: 'errors',
            successCondition: 'result < 0.05',
            failureCondition: 'result > 0.1',
            provider: { web: { headers: [{ key: 'Authorization', value: 's3cret' }] } },
          },
          { name: 'latency' },
        ],
      },
      status: {
        metricResults: [
          {
            name: 'errors',
            measurements: [
              { value: '0.01', phase: 'Successful', finishedAt: '2026-11-22T09:59:00Z' },
              { value: '0.2', phase: 'Failed' },
            ],
          },
        ],
      },
    };
    const threshold = 'passes when result < 0.05; fails when result > 0.1';
    expect(metricsOfRun(run)).toEqual([
      ['errors', '0.2', threshold, { text: 'Failed', tone: 'Bad' }, ''],
      ['errors', '0.01', threshold, { text: 'Successful', tone: 'Good' }, '2026-11-22T09:59:00Z'],
      ['latency', '', '', { text: 'Pending', tone: 'Moving' }, ''],
    ]);
  });

  it.each([[undefined], [null], ['text'], [{ spec: { metrics: 'none' } }], [{ spec: { metrics: [null] } }]])(
    'shows nothing of what is no AnalysisRun: %j',
    (run) => {
      expect(metricsOfRun(run)).toEqual([]);
    },
  );

  it('shows the last samples of a Check against its bounds', () => {
    const time = '2026-11-22T09:59:00Z';
    const check = {
      metadata: { name: 'errors' },
      spec: { analysis: { max: 1 } },
      status: { phase: 'Failed', analysis: { results: [{ outcome: 'Failed', time, value: 7.2 }] } },
    } as unknown as Check;
    expect(metricsOfCheck(check)).toEqual([
      ['errors', '7.2', 'max 1', { text: 'Failed', tone: 'Bad' }, time],
    ]);
  });
});

const groupIn = (namespace: string, name: string, annotations?: Record<string, string>) => ({
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'AWSTargetGroup',
  metadata: { name, namespace, ...(annotations === undefined ? {} : { annotations }) },
  spec: { arn: arnOf(name) },
});

/** A ClusterSet that has found two clusters. */
const setIn = (namespace: string) => ({
  apiVersion: 'okra.mumo.co/v1alpha1',
  kind: 'ClusterSet',
  metadata: { name: 'all', namespace },
  spec: { generators: [] },
  status: { clusters: { names: ['blue', 'green'] } },
});

const clustersIn = ({
  groups,
  sets,
  cells,
}: {
  groups: AWSTargetGroup[];
  sets: ClusterSet[];
  cells: Cell[];
}) => {
  const byKey = <T extends { metadata: { name: string; namespace?: string } }>(all: readonly T[]) =>
    new Map(all.map((one) => [formatKey(keyOf(one)), one]));
  return clustersOf({ groups: byKey(groups), sets: byKey(sets), cells: byKey(cells) });
};

const ofBlue = { [SOURCE_ANNOTATION]: 'blue/kube-system/web' };

describe('the clusters', () => {
  it('are told with their target groups, and where those carry traffic', () => {
    const groups = [groupIn('default', 'web-a', ofBlue), groupIn('default', 'web-c')];
    const headings = ['Target group', 'Version', 'Weight', 'Health'];
    expect(clustersIn({ groups, sets: [setIn('default')], cells: [aCell(paused)] })).toEqual([
      {
        title: 'blue',
        text: 'Found by ClusterSet default/all.',
        headings,
        rows: [
          [
            'default/web-a',
            '',
            { list: [{ text: '80 in default/web (Stable)', href: '#/cells/default/web' }] },
            { tone: 'Held', text: '2/3 healthy' },
          ],
        ],
      },
      {
        title: 'green',
        text: 'Found by ClusterSet default/all. No target groups.',
        headings,
        rows: [],
      },
      {
        title: 'made by hand, of no known cluster',
        text: '',
        headings,
        rows: [['default/web-c', '', 'in no rule', '']],
      },
    ]);
  });
});

describe('the clusters beside an AWSTargetGroup that names no ARN', () => {
  it('are told, and it is used by nobody', () => {
    const { spec: _none, ...odd } = groupIn('default', 'odd', ofBlue);
    const groups = [odd as AWSTargetGroup, groupIn('default', 'web-a', ofBlue)];
    const [blue] = clustersIn({ groups, sets: [], cells: [aCell(paused)] });
    expect(blue?.rows.map(([name, , users]) => [name, users])).toEqual([
      ['default/odd', 'in no rule'],
      ['default/web-a', { list: [expect.objectContaining({ href: '#/cells/default/web' })] }],
    ]);
  });
});

describe('clusters whose secrets have one name in several namespaces', () => {
  it('are told apart', () => {
    const groups = [groupIn('shop', 'web-a', ofBlue), groupIn('bank', 'web-b', ofBlue)];
    const told = clustersIn({ groups, sets: [setIn('bank')], cells: [] });
    expect(told.map(({ title, text, rows }) => [title, text, rows.map(([name]) => name)])).toEqual([
      ['bank/blue', 'Found by ClusterSet bank/all.', ['bank/web-b']],
      ['green', 'Found by ClusterSet bank/all. No target groups.', []],
      ['shop/blue', '', ['shop/web-a']],
    ]);
  });
});

describe('what stands above', () => {
  it('is every Freeze that holds now, and what may be old', () => {
    const freeze = (name: string, spec: object) => ({
      apiVersion: 'okra.mumo.co/v1alpha1',
      kind: 'Freeze',
      metadata: { name },
      spec: { by: 'ops', reason: 'sale', ...spec },
    });
    const freezes = new Map(
      [
        freeze('all', {}),
        freeze('over', { until: '2026-11-22T09:00:00Z' }),
        freeze('shop', { namespaces: ['shop'] }),
      ].map((one) => [one.metadata.name, one]),
    );
    const troubles = new Map([
      ['Cell', 'got no answer of /apis/cells, try again'],
      ['Freeze', 'got no answer of /apis/freezes, try again'],
      ['ClusterSet', 'Forbidden'],
    ]);
    expect(headOf({ ...nothingWatched(), freezes, troubles }, now)).toEqual({
      freezes: [
        { name: 'all', by: 'ops', reason: 'sale' },
        { name: 'shop', by: 'ops', reason: 'sale', namespaces: ['shop'] },
      ],
      troubles: [
        'Cell, Freeze may be stale: got no answer of /apis/cells, try again',
        'ClusterSet may be stale: Forbidden',
      ],
      isWhole: false,
    });
  });
});

describe('objects that are stored in a form that no schema allows', () => {
  it.each([
    ['without a spec', {}],
    ['with other types', { spec: { namespaces: 'shop', stages: 1, until: 1 } }],
  ])('keep nobody from the page: %s', (_, odd) => {
    const freezes = new Map([['odd', { metadata: { name: 'odd' }, ...odd } as unknown as Freeze]]);
    expect(headOf({ ...nothingWatched(), freezes }, now).freezes).toMatchObject([{ name: 'odd' }]);
    const policy = { metadata: { name: 'odd' }, ...odd } as unknown as StagedBindingPolicy;
    expect(
      policyPageOf(policy, { row: rowOfPolicy(policy), events: [], offers: [], url: undefined }).steps,
    ).toEqual([]);
    expect(rowOfPolicy(policy)).toMatchObject({ key: 'odd', phase: 'Pending' });
    expect(draw({ ...nothingWatched(), freezes }, now).join(' ')).toContain('Freeze odd');
  });
});

describe('the page of a StagedBindingPolicy', () => {
  it('has its stages as steps, also those that have not begun, and what it was asked', () => {
    const since = '2026-11-22T09:58:00Z';
    const spec = { stages: [{ name: 'dev' }, { name: 'test' }, { name: 'prod' }] };
    const stages = [
      { name: 'dev', phase: 'Passed', since },
      {
        name: 'test',
        phase: 'TimedOut',
        since,
        objects: 3,
        fulfilled: 2,
        firstUnfulfilled: 'pods default/a',
      },
    ];
    const requests = [{ action: 'pause', by: 'ann', reason: 'lunch', time: since }];
    const status = { phase: 'Failed', reason: 'TimedOut', activeStage: 'test', stages, requests };
    const policy = { metadata: { name: 'nginx' }, spec, status } as unknown as StagedBindingPolicy;
    const page = policyPageOf(policy, { row: rowOfPolicy(policy), events: [], offers: [], url: 'http://ui' });
    expect(page.steps).toEqual([
      { text: 'dev: Passed', stands: 'Done' },
      { text: 'test: TimedOut, 2 of 3 objects, pods default/a', stands: 'Failed', since },
      { text: 'prod: Pending', stands: 'Ahead' },
    ]);
    expect([page.seen, page.reasons, page.chart]).toEqual([{ stage: 'test' }, ['TimedOut'], undefined]);
    expect(rowsOf(page, 'Requests')).toEqual([['2026-11-22T09:58:00Z', 'pause', 'ann', 'lunch']]);
  });
});
