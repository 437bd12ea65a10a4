import { expect, it } from 'vitest';
import type { CellStatus } from '../../crds/cell.ts';
import { commandsFor } from './refusals.ts';
import { paused } from './testing/objects.ts';

const verbs = (status: CellStatus): readonly string[] =>
  commandsFor({ metadata: { name: 'web', namespace: 'default' }, status }).map(
    (line) => line.split(' ')[1] ?? '',
  );
const rollout = paused.rollout!;
const degraded: CellStatus['conditions'] = [
  { type: 'Degraded', status: 'True', reason: 'x', message: '', lastTransitionTime: '2026-11-22T09:00:00Z' },
];

it.each<[string, CellStatus, readonly string[]]>([
  ['nothing at rest', { phase: 'Completed' }, []],
  ['retry of what is blocked', { blockedVersions: [{ version: '2.0.0', cause: '', time: '' }] }, ['retry']],
  ['resume of a pause', { ...paused, reason: 'WaitingForResume' }, ['resume', 'abort']],
  ['approvals', { ...paused, reason: 'WaitingForApproval' }, ['approve', 'pause', 'abort']],
  ['a verdict of a person', { ...paused, reason: 'WaitingForVerdict' }, ['promote', 'retry', 'abort']],
  [
    'no second measurement after the last step, where nothing would measure',
    { ...paused, reason: 'WaitingForVerdict', step: 'done', conditions: degraded },
    ['promote', 'abort'],
  ],
  [
    'no second measurement of a rollout whose steps are left out',
    {
      ...paused,
      reason: 'WaitingForVerdict',
      step: '1/2',
      conditions: degraded,
      requests: [{ action: 'promoteFull', by: 'ann', reason: '', time: '2026-11-22T10:00:00Z' }],
    },
    ['promote', 'abort'],
  ],
  ['no promote of a Freeze', { ...paused, reason: 'WaitingForFreeze' }, ['pause', 'abort']],
  [
    'retry of what is held up',
    { rollout, reason: 'AccessDenied', conditions: degraded },
    ['retry', 'abort', 'watch'],
  ],
  ['pause of what moves', { rollout, reason: 'ShiftingTraffic' }, ['pause', 'abort', 'watch']],
  [
    'a look at what is taken back',
    { rollout: { ...rollout, ending: { kind: 'Failed', reason: 'Aborted', message: '', time: '' } } },
    ['watch'],
  ],
  [
    'resume of paused applications',
    { applications: [], paused: { by: 'a', reason: '', time: '' } },
    ['resume'],
  ],
  ['pause of an application', { applications: [{ name: 'web', phase: 'Migrating' }] }, ['pause', 'abort']],
  ['nothing of applications in place', { applications: [{ name: 'web', phase: 'Synced' }] }, []],
])('offers %s', (_, status, offered) => expect(verbs(status)).toEqual(offered));

it('names the namespace, and says what a command does', () => {
  const status: CellStatus = { ...paused, reason: 'WaitingForResume' };
  expect(commandsFor({ metadata: { name: 'web', namespace: 'shop' }, status })).toEqual([
    'okractl resume web -n shop  (ends the pause)',
    'okractl abort web -n shop  (shifts all traffic back to 1.0.0)',
  ]);
});
