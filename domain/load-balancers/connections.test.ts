import { describe, expect, it } from 'vitest';
import { connectionsAfter, connectionsText, withConnections } from './connections.ts';
import type { Forwarding } from './load-balancer.ts';
import { recordHealthCheck } from '../rollout/record/backoff.ts';
import { initialState, type RolloutState } from '../model/state.ts';
import { aCell, arnOf } from '../testing/builders.ts';

const NOW = Date.parse('2026-11-22T09:00:00Z');
const MINUTE = 60_000;
const FLOWS =
  'Flows that were open at 2026-11-22T09:00:00.000Z stay with it while they carry traffic, for an hour at most.';
const groups = (weights: Readonly<Record<string, number>>) =>
  Object.entries(weights).map(([name, weight]) => ({ name, arn: arnOf(name), weight }));
const net = (weights: Readonly<Record<string, number>>): Forwarding => ({
  type: 'AWSNetworkLoadBalancer',
  listenerARN: 'arn',
  listener: { forward: { targetGroups: groups(weights) } },
});
const app = (weights: Readonly<Record<string, number>>): Forwarding => ({
  type: 'AWSApplicationLoadBalancer',
  listenerARN: 'arn',
  listener: { rule: { priority: 1, forward: { targetGroups: groups(weights) } } },
});
const flows = (name: string, now = NOW) =>
  connectionsAfter(net({ [name]: 80 }), groups({ [name]: 100 }), now);

describe('the connections of a target group', () => {
  it.each([
    ['stay with it when flows are weighed and it loses', net({ a: 80, b: 20 }), ['a']],
    ['are where its weight says when nothing has changed', net({ a: 100, b: 0 }), []],
    ['are where its weight says when requests are weighed', app({ a: 80, b: 20 }), []],
  ])('%s', (_, forwarding, want) => {
    const found = connectionsAfter(forwarding, groups({ a: 100, b: 0 }), NOW);
    const stays = { message: FLOWS, until: NOW + 60 * MINUTE };
    expect(found).toEqual(want.map((name) => ({ targetGroupARN: arnOf(name), ...stays })));
  });

  const losing = flows('a');
  const textAt = (state: typeof initialState, now: number, weight = 0) =>
    connectionsText(state, arnOf('a'), { weight, now });

  it('are told until that is over', () => {
    const state = withConnections(initialState, losing, NOW);
    expect(textAt(state, NOW)).toBe(FLOWS);
    expect(textAt(state, NOW + 60 * MINUTE)).toBeUndefined();
    expect(withConnections(state, [], NOW + 60 * MINUTE)).toEqual(initialState);
  });

  it('are told of groups that later writes do not change', () => {
    const other = flows('b', NOW + MINUTE);
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
      recordHealthCheck(before, found, decision, { observed, cell, now });
    const state = idleRead(withConnections(initialState, losing, NOW), look(2), NOW + MINUTE);
    expect(textAt(state, NOW + MINUTE)).toBe(
      `${FLOWS} 2 of its targets are draining: open connections may continue until their deregistration delay is over.`,
    );
    expect(textAt(state, NOW + MINUTE, 20)).toBe(FLOWS);
    expect(textAt(idleRead(state, look(0), NOW + 2 * MINUTE), NOW + 2 * MINUTE)).toBe(FLOWS);
  });
});
