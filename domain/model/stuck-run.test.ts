import { describe, expect, it } from 'vitest';
import { findShortened, findStuck, readTermination, terminationFor, type DueTask } from './stuck-run.ts';

const START = Date.UTC(2026, 0, 1);
const failed = (second: number, message = 'no') => ({ at: START + second * 1000, message });
const unanswered = (second: number) => ({ at: START + second * 1000 });

describe('a run whose workflow task is due', () => {
  it.each<[string, DueTask, number, number | undefined]>([
    ['is not stuck while no worker takes it', { attempt: 1, failures: [] }, 3600, undefined],
    ['is not stuck after one failure', { attempt: 2, failures: [failed(0)] }, 3600, undefined],
    ['is not stuck after three in a short time', { attempt: 4, failures: [failed(0)] }, 29, undefined],
    ['is stuck after three failures over half a minute', { attempt: 4, failures: [failed(0)] }, 30, 3],
    [
      'is stuck when signals have it begin again each time',
      { attempt: 1, failures: [failed(0), failed(10), failed(20)] },
      30,
      3,
    ],
    [
      'is not stuck when workers are killed or slow, however often',
      { attempt: 40, failures: [unanswered(0), unanswered(2)] },
      3600,
      undefined,
    ],
    [
      'is stuck when a worker has reported a failure between',
      { attempt: 3, failures: [unanswered(0), failed(2)] },
      60,
      3,
    ],
  ])('%s', (_, task, second, failures) => {
    const stuck = findStuck(task, START + second * 1000);
    expect(stuck?.includes(`failed ${failures} times`)).toBe(failures === undefined ? undefined : true);
  });

  it('is terminated for the last reported failure, which is known again by the reason', () => {
    const task = { attempt: 5, failures: [failed(0, 'first'), failed(2, '[TMPRL1100] x'), unanswered(4)] };
    const stuck = findStuck(task, START + 60_000) ?? '';
    expect(stuck).toBe('Its workflow task failed 6 times since 2026-01-01T00:00:00.000Z: [TMPRL1100] x');
    expect(readTermination(terminationFor(stuck))).toBe(stuck);
    expect(readTermination('ann wanted it')).toBeUndefined();
  });
});

describe('the history of a run', () => {
  it.each([
    ['grows', 12, false],
    ['stays', 10, false],
    ['is shorter than before', 9, true],
  ])('%s', (_, events, isShortened) => {
    expect(findShortened(events, 10) !== undefined).toBe(isShortened);
  });
});
