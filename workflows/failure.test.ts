import {
  ActivityFailure,
  ApplicationFailure,
  RetryState,
  TimeoutFailure,
  TimeoutType,
} from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { failureOf, isLost } from './failure.ts';

const failed = (cause: Error): ActivityFailure =>
  new ActivityFailure('failed', 'shiftTraffic', 'id', RetryState.MAXIMUM_ATTEMPTS_REACHED, 'worker', cause);
const late = (type: TimeoutType): ActivityFailure => failed(new TimeoutFailure('late', undefined, type));

describe('an activity', () => {
  it.each([
    ['is lost when its heartbeat has stopped', late(TimeoutType.HEARTBEAT), true],
    ['is not lost when it has taken too long', late(TimeoutType.START_TO_CLOSE), false],
    [
      'is not lost when it says why it failed',
      failed(ApplicationFailure.create({ type: 'Unavailable' })),
      false,
    ],
    ['is not lost when it is none', new Error('failed'), false],
  ])('%s', (_, error, want) => expect(isLost(error)).toBe(want));

  it('that is lost says so in words', () =>
    expect(failureOf(late(TimeoutType.HEARTBEAT)).message).toMatch(/^The worker stopped responding/));
});
