import { describe, expect, it } from 'vitest';
import { askStaged, stagedRefusal, type StagedAim } from './requests.ts';
import { initialStagedState, type StagedState } from './state.ts';

const at = (more: Partial<StagedState> = {}): StagedState => ({
  ...initialStagedState,
  active: { name: 'dev', startedAt: 0 },
  ...more,
});
const stamp = { by: 'ann', reason: 'because', at: 1 };
const held = { reason: 'TimedOut', stage: 'dev', message: 'Late.' } as const;

describe('a request to a StagedBindingPolicy', () => {
  it.each<[string, StagedState, Parameters<typeof stagedRefusal>[1], boolean]>([
    ['abort of a stage', at(), 'abort', true],
    ['abort of none', initialStagedState, 'abort', false],
    [
      'abort of one that is being taken back',
      at({ rollingBack: { reason: 'Aborted', message: 'x' } }),
      'abort',
      false,
    ],
    ['resume without a pause', at(), 'resume', false],
    ['resume of a pause', at({ requests: { paused: stamp } }), 'resume', true],
    ['retry of what is held', at({ held }), 'retry', true],
    ['retry of what is not', at(), 'retry', false],
    ['promote', at(), 'promote', true],
    ['promote at the end', at({ active: { name: 'prod', startedAt: 0, completedAt: 1 } }), 'promote', false],
    ['pause', initialStagedState, 'pause', true],
  ])('%s', (_, state, name, isTaken) => {
    expect(stagedRefusal(state, name) === undefined).toBe(isTaken);
    expect(askStaged(state, name, stamp) === state).toBe(!isTaken);
  });

  const mark = (name: string, phase: 'Passed' | 'Waiting' | 'RolledBack' | 'Pending') => ({
    name,
    phase,
    since: '2026-01-01T00:00:00Z',
  });
  const atTest = at({
    active: { name: 'test', startedAt: 0 },
    stages: [
      mark('dev', 'Passed'),
      mark('test', 'Waiting'),
      mark('prod', 'RolledBack'),
      mark('last', 'Pending'),
    ],
  });

  it.each<[string, Parameters<typeof stagedRefusal>[1], StagedAim, string | undefined]>([
    ['promote of the stage it is at', 'promote', { stage: 'test' }, undefined],
    [
      'promote that comes twice',
      'promote',
      { stage: 'dev' },
      'Expected stage dev, as it was looked at, got stage test. Look again',
    ],
    ['abort of the stage it is at', 'abort', { stage: 'test' }, undefined],
    ['abort that comes twice', 'abort', { stage: 'prod' }, 'got stage test: prod was taken back already'],
    ['abort of a stage that was passed since', 'abort', { stage: 'dev' }, undefined],
    ['abort of a stage that nobody knows', 'abort', { stage: 'gone' }, undefined],
    ['abort back to a stage that was passed', 'abort', { to: 'dev' }, undefined],
    ['abort back to where it is', 'abort', { to: 'test' }, 'got test, while it is at test'],
    ['abort back to what was taken back', 'abort', { to: 'prod' }, 'got prod, while it is at test'],
    ['abort back to what has not begun', 'abort', { to: 'last' }, 'got last, while it is at test'],
    ['abort back to a stage that nobody knows', 'abort', { to: 'gone' }, undefined],
  ])('%s', (_, name, aim, refusal) => {
    const said = stagedRefusal(atTest, name, aim);
    expect([said === undefined, said ?? '']).toEqual([
      refusal === undefined,
      expect.stringContaining(refusal ?? ''),
    ]);
    expect(askStaged(atTest, name, { ...stamp, ...aim }) === atTest).toBe(refusal !== undefined);
  });

  it('is not about a stage where none has begun', () => {
    expect(stagedRefusal(initialStagedState, 'promote', { stage: 'dev' })).toContain(
      'got none that has begun',
    );
  });

  it('is kept as long as there is room, and cut to what the status takes', () => {
    const asked = Array.from({ length: 25 }).reduce<StagedState>(
      (state) => askStaged(state, 'pause', { by: 'x'.repeat(1000), reason: 'y'.repeat(5000), at: 1 }),
      at(),
    ).asked;
    expect(asked).toHaveLength(20);
    expect(asked[0]).toMatchObject({ action: 'pause', by: expect.stringMatching(/^x{252}…$/) as string });
  });
});
