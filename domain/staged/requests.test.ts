import { describe, expect, it } from 'vitest';
import { acceptStagedRequest, answerStagedRequest, refuseStagedRequest } from './requests.ts';
import { initialStagedState, type StagedAim, type StagedState } from './state.ts';

const notBegun: StagedState = { ...initialStagedState, isRestored: true };
const at = (more: Partial<StagedState> = {}): StagedState => ({
  ...notBegun,
  active: { name: 'dev', startedAt: 0, countsFrom: 0 },
  ...more,
});
const stamp = { by: 'ann', reason: 'because', at: 1 };
const held = { reason: 'TimedOut', stage: 'dev', message: 'Late.' } as const;

describe('a request to a StagedBindingPolicy', () => {
  it.each<[string, StagedState, Parameters<typeof refuseStagedRequest>[1], boolean]>([
    ['abort of a stage', at(), 'abort', true],
    ['abort of none', notBegun, 'abort', false],
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
    [
      'promote at the end',
      at({ active: { name: 'prod', startedAt: 0, countsFrom: 0, completedAt: 1 } }),
      'promote',
      false,
    ],
    ['pause', notBegun, 'pause', true],
  ])('%s', (_, state, name, isTaken) => {
    expect(refuseStagedRequest(state, name) === undefined).toBe(isTaken);
    expect(acceptStagedRequest(state, name, stamp) === state).toBe(!isTaken);
  });

  const mark = (name: string, phase: 'Passed' | 'RolledBack') => ({
    name,
    phase,
    since: '2026-01-01T00:00:00Z',
  });
  const passed = [mark('dev', 'Passed')];
  const atTest = at({ active: { name: 'test', startedAt: 0, countsFrom: 0 } });
  const aborted = { reason: 'Aborted', stage: 'prod', message: 'Stage prod was aborted by ann.' } as const;
  const takenBack = { ...atTest, held: aborted };
  const goingBack = at({ rollingBack: { reason: 'Aborted', message: 'x' } });

  it.each<[string, StagedState, Parameters<typeof refuseStagedRequest>[1], StagedAim, string | undefined]>([
    ['promote of the stage it is at', atTest, 'promote', { stage: 'test' }, undefined],
    [
      'promote that comes twice',
      atTest,
      'promote',
      { stage: 'dev' },
      'Stage dev is not the current stage: it is stage test. Check it',
    ],
    [
      'promote of what is being taken back',
      goingBack,
      'promote',
      { stage: 'dev' },
      'The stage is being rolled back',
    ],
    [
      'promote after an abort',
      { ...atTest, requests: { abort: stamp } },
      'promote',
      {},
      'rolled back: an abort by ann. Send retry',
    ],
    [
      'retry after an abort',
      { ...atTest, held, requests: { abort: stamp } },
      'retry',
      {},
      'rolled back: an abort by ann. Send retry',
    ],
    ['retry of what is being taken back', goingBack, 'retry', {}, 'being rolled back: x Send retry'],
    ['promote of no name', atTest, 'promote', { stage: '' }, 'is not the current stage'],
    ['abort of the stage it is at', atTest, 'abort', { stage: 'test' }, undefined],
    [
      'abort of one that was passed since',
      { ...atTest, stages: passed },
      'abort',
      { stage: 'dev' },
      undefined,
    ],
    [
      'abort of one that was taken back, when all continues again',
      atTest,
      'abort',
      { stage: 'prod' },
      'already rolled back to stage test',
    ],
    ['abort that comes twice', takenBack, 'abort', { stage: 'prod' }, 'already rolled back to stage test'],
    [
      'abort that comes again after another one',
      { ...takenBack, stages: [mark('last', 'RolledBack')] },
      'abort',
      { stage: 'last' },
      'already rolled back to stage test',
    ],
    [
      'abort of what is to continue again',
      { ...takenBack, requests: { promote: stamp } },
      'abort',
      { stage: 'prod' },
      'already rolled back to stage test',
    ],
    ['abort of one more stage', takenBack, 'abort', { stage: 'test' }, undefined],
    ['abort that says of none', takenBack, 'abort', {}, undefined],
    [
      'abort back to a stage that comes twice',
      takenBack,
      'abort',
      { to: 'test' },
      'Cannot roll back to test: no stage was completed before stage test',
    ],
    ['abort back to a stage', { ...atTest, stages: passed }, 'abort', { to: 'dev' }, undefined],
    [
      'abort back to a stage before the one before',
      at({
        active: { name: 'prod', startedAt: 0, countsFrom: 0 },
        stages: [...passed, mark('test', 'Passed')],
      }),
      'abort',
      { to: 'dev' },
      undefined,
    ],
    [
      'abort back to where it is',
      { ...atTest, stages: passed },
      'abort',
      { to: 'test' },
      'Cannot roll back to test: must be a stage completed before stage test, such as dev.',
    ],
    [
      'abort back to a stage that is still to come',
      { ...atTest, stages: [...passed, mark('prod', 'RolledBack')] },
      'abort',
      { to: 'prod' },
      'Cannot roll back to prod: must be a stage completed before stage test, such as dev.',
    ],
    [
      'abort back to a stage that nobody knows',
      takenBack,
      'abort',
      { to: 'gone' },
      'Cannot roll back to gone: no stage was completed before stage',
    ],
    [
      'the same that comes twice',
      takenBack,
      'abort',
      { to: 'gone', stage: 'prod' },
      'already rolled back to stage test',
    ],
    [
      'abort of what was taken back because it was late',
      { ...takenBack, held: { ...aborted, reason: 'TimedOut' } },
      'abort',
      { stage: 'prod' },
      'already rolled back to stage test',
    ],
    [
      'abort of what is late, and was not taken back',
      { ...atTest, held: { ...aborted, reason: 'TimedOut', stage: 'test' } },
      'abort',
      { stage: 'test' },
      undefined,
    ],
  ])('%s', (_, state, name, aim, refusal) => {
    const said = refuseStagedRequest(state, name, aim);
    expect([said === undefined, said ?? '']).toEqual([
      refusal === undefined,
      expect.stringContaining(refusal ?? ''),
    ]);
    expect(acceptStagedRequest(state, name, { ...stamp, ...aim }) === state).toBe(refusal !== undefined);
  });

  it('is not about a stage where none has begun', () => {
    expect(refuseStagedRequest(notBegun, 'promote', { stage: 'dev' })).toContain('no stage has begun yet');
  });

  it.each(['abort', 'retry', 'resume'] as const)('is kept until someone has looked: %s', (name) => {
    expect(refuseStagedRequest(initialStagedState, name)).toBeUndefined();
    expect(answerStagedRequest(name, initialStagedState)).toContain('at the next reconcile');
    expect(acceptStagedRequest(initialStagedState, name, stamp).early).toEqual([{ name, request: stamp }]);
  });

  it('is kept as long as there is room, and cut to what the status takes', () => {
    const asked = Array.from({ length: 25 }).reduce<StagedState>(
      (state) =>
        acceptStagedRequest(state, 'pause', { by: 'x'.repeat(1000), reason: 'y'.repeat(5000), at: 1 }),
      at(),
    ).asked;
    expect(asked).toHaveLength(20);
    expect(asked[0]).toMatchObject({ action: 'pause', by: expect.stringMatching(/^x{252}…$/) as string });
  });
});
