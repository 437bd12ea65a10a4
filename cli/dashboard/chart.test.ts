import { describe, expect, it } from 'vitest';
import type { CellStatus } from '../../crds/cell.ts';
import { statusIn, type ToldWeights } from '../../clients/temporal/weight-history.ts';
import { aCell, paused } from '../okractl/testing/objects.ts';
import { chartOf, noted } from './chart.ts';

const start = Date.parse('2026-11-22T09:55:00Z');
const now = start + 300_000;
const weights = (a: number, b: number) => [
  { name: 'web-a', weight: a },
  { name: 'web-b', weight: b },
];
const told = (...all: readonly ToldWeights[]) => ({
  told: all,
  versions: { 'web-a': '1.0.0', 'web-b': '2.0.0' },
});
const chart = (given: Partial<Parameters<typeof chartOf>[0]>, status: CellStatus = paused) =>
  chartOf({ cell: aCell(status), told: undefined, seen: [], now, ...given });

describe('the chart', () => {
  it('shows the rollout from its start by what Temporal tells, and continues with what the watch has seen', () => {
    const history = told(
      { at: start, served: [{ name: 'web-a', weight: 100 }] },
      { at: start + 10, asked: weights(80, 20) },
      { at: start + 20, served: weights(80, 20) },
    );
    const seen = [
      // Known from Temporal, and better.
      { at: start + 15, asked: weights(80, 20), served: [{ name: 'web-a', weight: 100 }] },
      { at: start + 90, asked: weights(50, 50), served: weights(80, 20) },
    ];
    expect(chart({ told: history, seen })).toMatchObject({
      from: start,
      total: 100,
      series: [
        {
          version: '1.0.0',
          asked: [
            { at: start + 10, weight: 80 },
            { at: start + 90, weight: 50 },
          ],
          served: [
            { at: start, weight: 100 },
            { at: start + 20, weight: 80 },
          ],
        },
        {
          version: '2.0.0',
          asked: [
            { at: start + 10, weight: 20 },
            { at: start + 90, weight: 50 },
          ],
          served: [
            { at: start, weight: 0 },
            { at: start + 20, weight: 20 },
          ],
        },
      ],
    });
  });

  it('says so when Temporal does not answer, and shows what was seen', () => {
    const seen = [{ at: start + 90, served: weights(80, 20) }];
    const { note, series } = chart({ seen, trouble: 'no answer in time' });
    expect(note).toBe(
      'The chart begins when this page was started: the history in Temporal could not be read: no answer in time',
    );
    expect(series.map(({ version, served }) => [version, served.length])).toEqual([
      ['1.0.0', 1],
      ['2.0.0', 1],
    ]);
  });

  it('says so when Temporal remembers nothing', () => {
    expect(chart({ told: told() }).note).toMatch(/Temporal has no history/);
  });

  it('ends with the last rollout when none is under way', () => {
    const { rollout: _none, ...status } = paused;
    const ended = {
      ...status,
      history: [
        {
          version: '2.0.0',
          outcome: 'Completed' as const,
          message: '',
          startedAt: new Date(start).toISOString(),
          endedAt: new Date(start + 50).toISOString(),
        },
      ],
    };
    const history = told(
      { at: start, served: weights(80, 20) },
      { at: start + 200_000, served: weights(0, 100) },
    );
    const { to, series } = chart({ told: history }, ended);
    expect(to).toBe(start + 50);
    expect(series.map(({ served }) => served.at(-1)?.weight)).toEqual([80, 20]);
  });
});

describe('the timeline', () => {
  const stands = (seconds: number, status: Partial<CellStatus>) => ({
    at: start + seconds * 1000,
    status: statusIn(status),
  });
  const texts = ({ marks }: ReturnType<typeof chart>) =>
    marks.map(({ track, at, to, text, tone }) => {
      const end = to === undefined ? 'on' : to === at ? '' : String((to - start) / 1000);
      return [track, `${(at - start) / 1000}-${end}`, text, tone].join(', ');
    });
  const run = (phase: string) => ({ name: 'web-errors', phase, message: '' });
  const ending = {
    kind: 'Failed',
    reason: 'CheckFailed',
    message: '',
    time: '2026-11-22T09:56:00Z',
  } as const;
  const stood = [
    stands(1, { step: '1/3', reason: 'ShiftingTraffic' }),
    stands(20, { step: '2/3', reason: 'WaitingForWindow', message: 'Opens at 10.' }),
    stands(30, {
      step: '2/3',
      reason: 'WaitingForWindow',
      message: 'Opens soon.',
      analysisRun: run('Running'),
    }),
    stands(40, { step: '2/3', reason: 'WaitingForAnalysis', analysisRun: run('Running') }),
  ];

  it('has the steps, gates, requests and analyses of the rollout with their times', () => {
    expect(texts(chart({ told: told(...stood) }))).toEqual([
      'Steps, 1-20, Step 1/3, Good',
      'Steps, 20-on, Step 2/3, Moving',
      'Gates, 20-40, WaitingForWindow: Opens at 10., Held',
      'Analyses, 30-on, web-errors: Running, Moving',
      'Requests, 60.123-, resume by ann: looks fine, Idle',
    ]);
  });

  it('says at which step the last rollout has failed, when none is under way', () => {
    const { rollout, requests: _asked, ...status } = paused;
    const failed = stands(50, {
      step: '2/3',
      message: 'Errors.',
      analysisRun: run('Failed'),
      rollout: { ...rollout!, ending },
    });
    const time = (seconds: number) => new Date(start + seconds * 1000).toISOString();
    const requests = [{ action: 'abort', by: 'ann', reason: '', time: time(45) }];
    const change = { version: '2.0.0', outcome: 'Reverted', message: '' } as const;
    const history = [{ ...change, requests, startedAt: time(0), endedAt: time(60) }];
    const view = chart({ told: told(...stood, failed, stands(61, {})) }, { ...status, history });
    expect(view.failedAt).toBe('2/3');
    expect(texts(view).filter((text) => !text.startsWith('Gates'))).toEqual([
      'Steps, 1-20, Step 1/3, Good',
      'Steps, 20-50, Step 2/3, Good',
      'Steps, 50-61, Step 2/3 failed: Errors., Bad',
      'Analyses, 30-50, web-errors: Running, Moving',
      'Analyses, 50-61, web-errors: Failed, Bad',
      'Requests, 45-, abort by ann, Bad',
    ]);
  });
});

describe('what the watch has seen', () => {
  it('is noted when it differs, and kept within bounds', () => {
    const asked = { is: 'Nothing' } as const;
    const known = (weight: number) => ({
      cell: aCell({ targetGroups: [{ name: 'a', arn: 'arn', role: 'Stable', weight }] }),
      asked,
    });
    const once = noted([], known(1), 1);
    expect(noted(once, known(1), 2)).toBe(once);
    expect(noted(once, known(2), 3)).toHaveLength(2);
    const many = Array.from({ length: 1000 }, (_, at) => at).reduce(
      (all: readonly ToldWeights[], at) => noted(all, known(at % 7), at),
      [],
    );
    expect(many).toHaveLength(300);
  });
});
