import * as record from '../../../domain/rollout/record/record.ts';
import { initialState, type RolloutState } from '../../../domain/model/state.ts';
import { statusOf } from '../../../domain/rollout/report/status.ts';
import type { World } from './world.ts';

/** How far a rollout has come. */
export interface Progressed {
  /** The weight of 2.0.0. */
  readonly weight?: number;
  /** How many steps are done. */
  readonly done?: number;
  /** What else its run remembers. */
  readonly remembers?: Pick<RolloutState, 'backoff'>;
}

/**
 * Lets a world be where a rollout has come to by itself, and gives the state that its run hands over to the next one, as
 * it does when its history has grown long.
 */
export function handedOver(
  world: World,
  { weight = 20, done = 1, remembers = {} }: Progressed,
): RolloutState {
  world.groups = ['a', 'b'];
  const [a, b] = [world.group('a'), world.group('b')];
  world.serve([
    { ...a, weight: 100 - weight },
    { ...b, weight },
  ]);
  const observed = world.observe();
  const { cell } = observed;
  if (cell === undefined) throw new Error('Expected a Cell, got none.');
  const now = Date.now();
  const stable = { version: '1.0.0', groups: [a] };
  const canary = { version: '2.0.0', groups: [b] };
  const begin = { do: 'Begin', stable, canary, index: done, message: '' } as const;
  const began = record.recordBegin(initialState, begin, { id: 'handed', observed, cell, now });
  const shifted = record.inRollout(began, (rollout) => ({ ...rollout, shiftedAt: now }));
  const decision = { do: 'Wait', for: 'Settle', message: '' } as const;
  const workflow = { workflowId: '', runId: '' };
  const status = statusOf({ observed, cell, state: shifted, decision, workflow, now });
  world.report({ key: world.key, uid: '', status, events: [] });
  return { ...record.recordReported(shifted, shifted, status), ...remembers };
}
