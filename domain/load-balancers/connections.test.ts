import { describe, expect, it } from 'vitest';
import { connectionsAfter, connectionsText, withConnections, type ChangedGroup } from './connections.ts';
import { healthRead } from '../rollout/record/record-backoff.ts';
import { initialState, type RolloutState } from '../model/state.ts';
import { aCell, arnOf } from '../testing/builders.ts';

const NOW = Date.parse('2026-11-22T09:00:00Z');
const MINUTE = 60_000;
const changed = (change: Partial<ChangedGroup>): ChangedGroup => ({
  targetGroupARN: arnOf('a'),
  change: 'Gains',
  draining: 0,
  ...change,
});
const FLOWS =
  'Flows that were open at 2026-11-22T09:00:00.000Z stay with it while they carry traffic, for an hour at most.';
const app = 'AWSApplicationLoadBalancer';
const net = 'AWSNetworkLoadBalancer';

describe('the connections of a target group', () => {
  it.each<[string, Partial<ChangedGroup>, typeof app | typeof net, string | undefined, number?]>([
    ['are where its weight says', {}, net, undefined],
    ['are where its weight says when requests are weighed', { change: 'Loses' }, app, undefined],
    ['stay with it when flows are weighed and it loses', { change: 'Loses' }, net, FLOWS, 60],
    [
      'go on with one target that is deregistered',
      { draining: 1, deregistrationDelaySeconds: 300 },
      app,
      '1 of its targets is draining: open connections may continue for 300s (deregistration delay).',
      5,
    ],
    [
      'go on with targets that are deregistered for nobody knows how long',
      { draining: 2 },
      app,
      '2 of its targets are draining: open connections may continue until their deregistration delay is over.',
    ],
    [
      'come slowly',
      { slowStartSeconds: 60, deregistrationDelaySeconds: 300 },
      app,
      'A target that becomes healthy has its full share after 60s (slow start).',
      1,
    ],
    ['do not come slowly when it loses', { change: 'Loses', slowStartSeconds: 60 }, app, undefined],
    [
      'are late for more than one reason, until the last of them is over',
      { draining: 1, deregistrationDelaySeconds: 300, slowStartSeconds: 900 },
      net,
      '1 of its targets is draining: open connections may continue for 300s (deregistration delay). A target that becomes healthy has its full share after 900s (slow start).',
      15,
    ],
  ])('%s', (_, change, type, message, minutes) => {
    const want =
      message === undefined
        ? []
        : [
            {
              targetGroupARN: arnOf('a'),
              message,
              ...(minutes === undefined ? {} : { until: NOW + minutes * MINUTE }),
            },
          ];
    expect(connectionsAfter([changed(change)], { type, now: NOW })).toEqual(want);
  });

  const losing = connectionsAfter([changed({ change: 'Loses' })], { type: net, now: NOW });
  const textAt = (state: typeof initialState, now: number, weight = 0) =>
    connectionsText(state, arnOf('a'), { weight, now });

  it('are told until that is over', () => {
    const state = withConnections(initialState, losing, NOW);
    expect(textAt(state, NOW)).toBe(FLOWS);
    expect(textAt(state, NOW + 60 * MINUTE)).toBeUndefined();
    expect(withConnections(state, [], NOW + 60 * MINUTE)).toEqual(initialState);
  });

  it('are told of groups that later writes do not change', () => {
    const other = connectionsAfter([changed({ change: 'Loses', targetGroupARN: arnOf('b') })], {
      type: net,
      now: NOW + MINUTE,
    });
    const state = withConnections(withConnections(initialState, losing, NOW), other, NOW + MINUTE);
    expect(state.connections?.map(({ targetGroupARN }) => targetGroupARN)).toEqual([arnOf('a'), arnOf('b')]);
  });

  it('are told at weight 0 by each look at what waits there', () => {
    const look = (draining: number) => [
      {
        targetGroupARN: arnOf('a'),
        healthy: 1,
        total: 2,
        others: '',
        ...(draining === 0 ? {} : { draining }),
      },
    ];
    const observed = aCell().serving({ a: 0, b: 100 }).seen();
    const { cell } = observed;
    if (cell === undefined) throw new Error('Expected a Cell.');
    const settled = { do: 'Close', outcome: 'Completed', reason: 'Serving', message: '' } as const;
    const decision = { do: 'CheckHealth', targetGroupARNs: [arnOf('a')], message: '', settled } as const;
    const idleRead = (before: RolloutState, found: ReturnType<typeof look>, now: number) =>
      healthRead(before, found, decision, { observed, cell, now });
    const state = idleRead(withConnections(initialState, losing, NOW), look(2), NOW + MINUTE);
    expect(textAt(state, NOW + MINUTE)).toBe(
      `${FLOWS} 2 of its targets are draining: open connections may continue until their deregistration delay is over.`,
    );
    expect(textAt(state, NOW + MINUTE, 20)).toBe(FLOWS);
    expect(textAt(idleRead(state, look(0), NOW + 2 * MINUTE), NOW + 2 * MINUTE)).toBe(FLOWS);
  });
});
