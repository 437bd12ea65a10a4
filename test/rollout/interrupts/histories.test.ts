import { msToTs } from '@temporalio/common/lib/time.js';
import { describe, expect, it } from 'vitest';
import { wasAskedBefore, type PlayedHistory } from './histories.ts';

type HistoryEvent = NonNullable<PlayedHistory['history']['events']>[number];

const at = (seconds: number): Pick<HistoryEvent, 'eventTime'> => ({ eventTime: msToTs(seconds * 1000) });
const asked = (seconds: number, activityId: string): HistoryEvent => ({
  ...at(seconds),
  activityTaskScheduledEventAttributes: { activityId },
});
const aborted = (seconds: number): HistoryEvent => ({
  ...at(seconds),
  workflowExecutionUpdateAcceptedEventAttributes: {},
});

const runOf = (...events: HistoryEvent[]): readonly PlayedHistory[] => [{ runId: 'r', history: { events } }];
const write = { runId: 'r', activityId: '7' };

describe('a write that was asked for', () => {
  it.each([
    ['before the workflow heard of the request', runOf(asked(11, '7'), aborted(12)), true],
    ['when it had heard of it', runOf(aborted(11), asked(12, '7')), false],
    [
      'when it had heard of it, before something later',
      runOf(aborted(11), asked(12, '7'), aborted(13)),
      false,
    ],
    ['after an earlier request, before this one', runOf(aborted(9), asked(11, '7'), aborted(12)), true],
    ['while nothing was heard', runOf(asked(11, '7')), false],
    ['by another run', [{ runId: 'other', history: { events: [asked(11, '7'), aborted(12)] } }], false],
  ])('%s', (_, runs, isBefore) => {
    expect(wasAskedBefore(runs, write, 10_000)).toBe(isBefore);
  });
});
