import { describe, expect, it } from 'vitest';
import type { CellStatus } from '../../crds/cell.ts';
import { aCell, arnOf, paused } from '../okractl/testing/objects.ts';
import type { StagedBindingPolicy } from '../../crds/staged-binding-policy.ts';
import { offersOfPolicy } from '../okractl/offers.ts';
import { rowOf, rowOfPolicy } from './rows.ts';

const known = (status: CellStatus) => ({ cell: aCell(status), asked: { is: 'Nothing' } as const });
const at = '2026-11-22T09:58:00Z';
const later = '2026-11-22T09:59:00Z';
const stepStartedAt = '2026-11-22T09:57:00Z';

describe('the row of a Cell', () => {
  it('says phase, versions, weights that are asked for and served, and what it waits for', () => {
    const asked = {
      is: 'Known' as const,
      isApplied: false,
      targetGroups: [{ name: 'web-b', arn: arnOf('web-b'), weight: 50 }],
    };
    expect(rowOf({ cell: aCell({ ...paused, lastSyncTime: at }), asked })).toEqual({
      key: 'default/web',
      namespace: 'default',
      name: 'web',
      phase: 'Paused',
      tone: 'Held',
      message: 'Waiting for resume or promote.',
      since: at,
      stable: '1.0.0',
      canary: '2.0.0',
      step: 'step 2/3',
      weights: [
        { name: 'web-a', version: '1.0.0', role: 'Stable', served: 80 },
        { name: 'web-b', version: '2.0.0', role: 'Canary', asked: 50, served: 20 },
      ],
      heading: 'Needs a person',
    });
  });

  it('knows nothing of a Cell that nobody has looked at', () => {
    expect(rowOf(known({}))).toMatchObject({
      phase: 'Pending',
      tone: 'Idle',
      message: 'Not reconciled yet. Is okrad running?',
      weights: [],
    });
  });

  const { rollout } = paused;
  const moving: CellStatus = {
    ...paused,
    phase: 'Progressing',
    reason: 'WaitingForHealth',
    lastSyncTime: at,
  };
  const degraded = { type: 'Degraded', status: 'True', reason: 'x', message: '' } as const;
  it.each<[string, CellStatus, string]>([
    ['the status was written', moving, at],
    [
      'the step began',
      { ...paused, rollout: { ...rollout!, stepStartedAt }, lastSyncTime: later },
      stepStartedAt,
    ],
    [
      'it is degraded',
      { ...moving, lastSyncTime: later, conditions: [{ ...degraded, lastTransitionTime: stepStartedAt }] },
      stepStartedAt,
    ],
    [
      'a person has paused it',
      { ...moving, rollout: { ...rollout!, paused: { by: 'ann', reason: '', time: later } } },
      later,
    ],
  ])('says since when it stands so: %s', (_, status, since) => {
    expect(rowOf(known(status)).since).toBe(since);
  });

  const ready = { ...degraded, type: 'Ready', lastTransitionTime: at } as const;
  it.each<[string, CellStatus, string]>([
    ['that waits for a person', paused, 'Needs a person'],
    ['that is degraded', { ...moving, conditions: [{ ...degraded, lastTransitionTime: at }] }, 'Degraded'],
    ['with a rollout that progresses by itself', moving, 'Progressing'],
    ['that nobody has reconciled yet', {}, 'Progressing'],
    ['that serves', { phase: 'Completed' }, 'Healthy'],
    ['that serves, and waits for more target groups', { phase: 'Waiting', conditions: [ready] }, 'Healthy'],
  ])('stands below the right heading: one %s', (_, status, heading) => {
    expect(rowOf(known(status)).heading).toBe(heading);
  });

  it('takes what comes from a cluster as text of one line and some length', () => {
    const message = `<img src=x onerror=alert(1)>\n\u001B[2J${'x'.repeat(100_000)}`;
    const row = rowOf(known({ ...paused, message }));
    expect(row.message).toHaveLength(500);
    expect(['\n', '\u001B'].filter((character) => row.message.includes(character))).toEqual([]);
  });
});

describe('a StagedBindingPolicy', () => {
  const by = { by: 'ann', reason: '', time: at };
  const held = { reason: 'TimedOut', stage: 'test', message: 'Late.' } as const;
  const here = { activeStage: 'test' } as const;
  const row = (status: StagedBindingPolicy['status']) =>
    rowOfPolicy({
      metadata: { name: 'nginx' },
      spec: { stages: [{ name: 'dev' }, { name: 'test' }] },
      status,
    } as unknown as StagedBindingPolicy);

  it.each<[string, StagedBindingPolicy['status'], string, readonly string[]]>([
    ['that nobody has reconciled yet', undefined, 'Progressing', ['pause']],
    ['on its way', { ...here, phase: 'Waiting' }, 'Progressing', ['pause', 'promote', 'abort']],
    [
      'that waits for a person',
      { ...here, phase: 'Paused' },
      'Needs a person',
      ['pause', 'promote', 'abort'],
    ],
    [
      'that a person has paused',
      { ...here, phase: 'Paused', paused: by },
      'Needs a person',
      ['resume', 'promote', 'abort'],
    ],
    [
      'that is held',
      { ...here, phase: 'Failed', held },
      'Needs a person',
      ['pause', 'retry', 'promote', 'abort'],
    ],
    ['whose first stage is rolled back', { phase: 'RolledBack', held }, 'Needs a person', ['pause', 'retry']],
    ['of which a stage is rolled back', { ...here, phase: 'RollingBack', held }, 'Degraded', []],
    ['that is done', { ...here, phase: 'Completed' }, 'Healthy', []],
  ])('has its heading, and the requests that make sense: one %s', (_, status, heading, names) => {
    expect(row(status).heading).toBe(heading);
    expect(offersOfPolicy(status).map(({ name }) => name)).toEqual(names);
  });

  it('says its stage by number, and since when that stands so', () => {
    const stages = [{ name: 'test', phase: 'Soaking', since: later }] as const;
    expect(row({ ...here, phase: 'Progressing', stages: [...stages], lastSyncTime: at })).toMatchObject({
      key: 'nginx',
      namespace: '',
      step: 'stage 2/2',
      since: later,
    });
  });
});
