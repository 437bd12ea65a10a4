import { describe, expect, it } from 'vitest';
import type { CellStatus } from '../../crds/cell.ts';
import { clusters, web } from './testing/applications.ts';
import { ApplicationsWorld } from './testing/world.ts';

const condition = (status: 'True' | 'False') => ({
  type: 'Degraded',
  status,
  reason: 'x',
  message: '',
  lastTransitionTime: '2026-11-22T08:00:00Z',
  observedGeneration: 1,
});
const degraded = { conditions: [condition('True')] };

/** How an application stands whose Cell has this status while its traffic is to move. */
function standing(status: CellStatus, more: object = {}) {
  const world = new ApplicationsWorld({
    clusters: clusters('web-v1'),
    applications: [web()],
    ...more,
  }).run();
  world.edit({ clusters: clusters('web-v2') });
  while (!world.trace.includes('web ApplyChild 2')) world.turn();
  const played = world.children.get('web')!;
  played.status = { observedGeneration: played.generation, ...status };
  // What is looked at is what was written, and not where the traffic has got to meanwhile.
  world.pass = () => undefined;
  world.turn();
  const { phase, reason, message } = world.status.applications?.[0] ?? {};
  return { phase, reason, message };
}

describe('an application whose traffic moves', () => {
  const moving = { phase: 'Progressing', reason: 'WaitingForSettle', message: 'Waiting.' } as const;
  it.each<[string, CellStatus, object]>([
    [
      'is migrating while its Cell continues',
      { ...moving, conditions: [condition('False')] },
      { phase: 'Migrating', reason: 'Migrating', message: 'Cell mysystem-web is Progressing: Waiting.' },
    ],
    [
      'has the reason of what keeps its Cell from continuing',
      { phase: 'Failed', reason: 'AccessDenied', message: 'ELBv2 refuses.', ...degraded },
      { phase: 'Migrating', reason: 'AccessDenied', message: 'Cell mysystem-web is Failed: ELBv2 refuses.' },
    ],
    [
      'has the reason of targets that are not healthy',
      { ...moving, reason: 'WaitingForHealth', ...degraded },
      { reason: 'WaitingForHealth' },
    ],
    [
      'is migrating when what keeps its Cell has no reason',
      { phase: 'Progressing', message: 'Waiting.', ...degraded },
      { reason: 'Migrating' },
    ],
    [
      'waits for a Cell that has not looked yet, whatever kept it before',
      { ...moving, observedGeneration: 0, reason: 'AccessDenied', ...degraded },
      { reason: 'Migrating', message: 'Its Cell has not observed the change yet.' },
    ],
    [
      'is not held up by a Cell that someone has paused',
      { phase: 'Paused', reason: 'WaitingForResume', message: 'Paused by ann.', conditions: [] },
      { reason: 'Migrating', message: 'Cell mysystem-web is Paused: Paused by ann.' },
    ],
  ])('%s', (_, status, told) => expect(standing(status)).toMatchObject(told));

  it('is stopped where its Cell holds what has failed', () => {
    const status = {
      phase: 'Paused',
      reason: 'CheckFailed',
      message: 'Check dd failed.',
      ...degraded,
    } as const;
    expect(standing(status, { onFailure: 'Hold' })).toMatchObject({
      reason: 'Stopped',
      message: expect.stringMatching(/^Check dd failed\. /) as string,
    });
  });
});
