import { describe, expect, it } from 'vitest';
import type { CellStatus } from '../../crds/cell.ts';
import { commandsOf, offersOf } from './offers.ts';
import { aCell, paused } from './testing/objects.ts';

const at = '2026-11-22T10:00:00Z';

describe('what can be asked of a Cell', () => {
  const degraded: CellStatus['conditions'] = [
    { type: 'Degraded', status: 'True', reason: 'x', message: '', lastTransitionTime: at },
  ];
  const names = (status: CellStatus) => offersOf(aCell(status)).map(({ name }) => name);
  it.each<[string, CellStatus, readonly string[]]>([
    ['nothing, when nothing is under way', { phase: 'Completed' }, []],
    [
      'a retry, when a version is blocked',
      { phase: 'Reverted', blockedVersions: [{ version: '2.0.0', cause: 'x', time: at }] },
      ['retry'],
    ],
    [
      'also to resume, in a pause that waits for it',
      paused,
      ['pause', 'resume', 'promote', 'promoteFull', 'abort'],
    ],
    [
      'to approve, where that is waited for, and not to promote',
      { ...paused, reason: 'WaitingForApproval', approval: { groups: ['release'], count: 2, lacking: 1 } },
      ['pause', 'approve', 'promoteFull', 'abort'],
    ],
    [
      'not to promote after the last step, where none is left',
      { ...paused, phase: 'Progressing', reason: 'WaitingForSettle', step: 'done' },
      ['pause', 'promoteFull', 'abort'],
    ],
    [
      'not to measure again after the last step, where nothing would',
      { ...paused, reason: 'AnalysisFailed', step: 'done', conditions: degraded },
      ['pause', 'promote', 'promoteFull', 'abort'],
    ],
    [
      'not to measure again where the steps that are left are left out',
      {
        ...paused,
        reason: 'AnalysisFailed',
        conditions: degraded,
        requests: [{ action: 'promoteFull', by: 'ann', reason: '', time: '2026-11-22T09:55:00.500Z' }],
      },
      ['pause', 'promote', 'promoteFull', 'abort'],
    ],
    [
      'to promote and to measure again in a bake',
      {
        ...paused,
        reason: 'WaitingForVerdict',
        step: 'done',
        conditions: degraded,
        rollout: { ...paused.rollout!, stepEndsAt: at },
      },
      ['pause', 'promote', 'retry', 'promoteFull', 'abort'],
    ],
    [
      'no second pause',
      { ...paused, rollout: { ...paused.rollout!, paused: { by: 'ann', reason: '', time: at } } },
      ['resume', 'promote', 'promoteFull', 'abort'],
    ],
    [
      'nothing, while it is taken back',
      {
        ...paused,
        rollout: { ...paused.rollout!, ending: { kind: 'Failed', reason: 'Aborted', message: '', time: at } },
      },
      [],
    ],
    [
      'to abort, while a version that was withdrawn may still begin again',
      {
        ...paused,
        rollout: {
          ...paused.rollout!,
          ending: { kind: 'Withdrawn', reason: 'VersionGone', message: '', time: at },
        },
      },
      ['abort'],
    ],
    [
      'to retry what is held up',
      { ...paused, phase: 'Progressing', reason: 'AccessDenied', conditions: degraded },
      ['pause', 'promote', 'retry', 'promoteFull', 'abort'],
    ],
    [
      'to resume paused applications',
      { applications: [], paused: { by: 'a', reason: '', time: at } },
      ['resume'],
    ],
    [
      'to hold applications that move',
      { applications: [{ name: 'web', phase: 'Migrating' }] },
      ['pause', 'abort'],
    ],
    ['nothing of applications in place', { applications: [{ name: 'web', phase: 'Synced' }] }, []],
  ])('is %s', (_, status, want) => {
    expect(names(status)).toEqual(want);
  });
});

describe('a command line', () => {
  const abort = { name: 'abort', does: 'Reverts.' } as const;
  it.each([
    ['names the Cell', { kind: 'Cell', key: { namespace: 'default', name: 'web' } }, abort, 'abort web'],
    [
      'names its namespace',
      { kind: 'Cell', key: { namespace: 'shop', name: 'web' } },
      abort,
      'abort web -n shop',
    ],
    [
      'names a stage where it is promoted',
      { kind: 'StagedBindingPolicy', key: { namespace: '', name: 'nginx' } },
      { ...abort, name: 'promote' },
      'promote sbp/nginx --stage dev',
    ],
    [
      'has the option of its request',
      { kind: 'Cell', key: { namespace: '', name: 'web' } },
      { ...abort, name: 'promoteFull' },
      'promote --full web',
    ],
  ] as const)('%s', (_, target, offer, words) =>
    expect(commandsOf([offer], target, 'dev')).toEqual([`okractl ${words}  # Reverts.`]),
  );
});
