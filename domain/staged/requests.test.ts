import { describe, expect, it } from 'vitest';
import { askStaged, stagedRefusal } from './requests.ts';
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

  it('is kept as long as there is room, and cut to what the status takes', () => {
    const asked = Array.from({ length: 25 }).reduce<StagedState>(
      (state) => askStaged(state, 'pause', { by: 'x'.repeat(1000), reason: 'y'.repeat(5000), at: 1 }),
      at(),
    ).asked;
    expect(asked).toHaveLength(20);
    expect(asked[0]).toMatchObject({ action: 'pause', by: expect.stringMatching(/^x{252}…$/) as string });
  });
});
