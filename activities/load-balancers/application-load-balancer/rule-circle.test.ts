import { describe, expect, it } from 'vitest';
import type { ObservedForwarding } from '../../../domain/load-balancers/load-balancer.ts';
import type { LoadBalancerDependencies } from '../port.ts';
import { applyTo, forwarding } from './testing/apply.ts';
import { aListener, listenerARN, type FakeListener } from './testing/listener.ts';

type Application = ObservedForwarding<'AWSApplicationLoadBalancer'>;

const at = (name: string, priority: number) => ({
  key: { namespace: 'default', name },
  adopt: false,
  forwarding: forwarding({ [name]: 100 }, {}, { priority, hosts: [`${name}.com`] }),
});

/** Objects that are served at one priority each, and now want others. */
async function served(wishes: Readonly<Record<string, readonly [at: number, wants: number]>>) {
  const listener = aListener();
  const statuses = new Map<string, Application>();
  for (const [name, [priority]] of Object.entries(wishes)) {
    statuses.set(name, await applyTo(listener, {}, at(name, priority)));
  }
  const asks: LoadBalancerDependencies['desiredOf'] = async ({ key: { name } }) => {
    const status = statuses.get(name);
    const asked = at(name, wishes[name]?.[1] ?? 0).forwarding;
    return await Promise.resolve(
      status === undefined ? undefined : { desired: asked, status: { observed: status } },
    );
  };
  const move = (name: string, { adopt = false, urgent = false } = {}): Promise<Application> =>
    applyTo(
      listener,
      {},
      { ...at(name, wishes[name]?.[1] ?? 0), observed: statuses.get(name) as Application, adopt, urgent },
      undefined,
      { desiredOf: asks },
    );
  return { listener, move, statuses };
}

type Served = Awaited<ReturnType<typeof served>>;

const places = (listener: FakeListener, ...priorities: readonly number[]): readonly string[] =>
  priorities.map((priority) => Object.keys(listener.weights(priority)).join());

/** Counts the calls that move rules. */
function countMoves(listener: FakeListener): readonly (readonly number[])[] {
  const calls: number[][] = [];
  const { elbv2 } = listener;
  const move = elbv2.setPriorities.bind(elbv2);
  Object.assign(elbv2, {
    setPriorities: (moves: Parameters<typeof move>[0]) => {
      calls.push(moves.map(({ priority }) => priority));
      return move(moves);
    },
  });
  return calls;
}

describe('rules that want each other’s priorities', () => {
  it.each<[string, Record<string, [number, number]>, number[], string[]]>([
    ['two of them', { a: [10, 20], b: [20, 10] }, [10, 20], ['b', 'a']],
    ['three of them', { a: [10, 20], b: [20, 30], c: [30, 10] }, [10, 20, 30], ['c', 'a', 'b']],
  ])('change places by one call: %s', async (_, wishes, priorities, want) => {
    const { listener, move, statuses } = await served(wishes);
    const calls = countMoves(listener);
    const now = await move('a');
    expect(places(listener, ...priorities)).toEqual(want);
    expect(now).toMatchObject({
      listener: { rule: { priority: 20, forward: { targetGroups: [{ name: 'a', weight: 100 }] } } },
    });
    // The others find themselves where they want to be.
    statuses.set('a', now);
    for (const name of Object.keys(wishes)) await move(name);
    expect(places(listener, ...priorities)).toEqual(want);
    expect(calls).toHaveLength(1);
  });

  it('do so whoever of them comes first', async () => {
    const { listener, move } = await served({ a: [10, 20], b: [20, 10] });
    await move('b');
    expect(places(listener, 10, 20)).toEqual(['b', 'a']);
  });

  it.each<[string, Record<string, [number, number]>]>([
    ['the other stays', { a: [10, 20], b: [20, 20] }],
    ['the other goes elsewhere, and will have gone', { a: [10, 20], b: [20, 30] }],
    ['others want each other’s', { a: [10, 20], b: [20, 30], c: [30, 20] }],
  ])('stay where %s', async (_, wishes) => {
    const { listener, move } = await served(wishes);
    const calls = countMoves(listener);
    await expect(move('a')).rejects.toMatchObject({ type: 'Conflict' });
    expect(places(listener, 10, 20)).toEqual(['a', 'b']);
    expect(calls).toEqual([]);
  });

  it('stay where the other stays, and leave the place of the other to it, though they may adopt', async () => {
    const { listener, move } = await served({ a: [10, 20], b: [20, 20] });
    await expect(move('a', { adopt: true })).rejects.toMatchObject({
      type: 'Conflict',
      message: expect.stringContaining('belongs to default/b@here') as string,
    });
    expect(places(listener, 10, 20)).toEqual(['a', 'b']);
    expect([listener.owner(10), listener.owner(20)]).toEqual(['default/a@here', 'default/b@here']);
  });

  it('have traffic taken back where they are, though they may adopt', async () => {
    const { listener, move } = await served({ a: [10, 20], b: [20, 20] });
    const back = await move('a', { adopt: true, urgent: true });
    expect(back.listener.rule.priority).toBe(10);
    expect(places(listener, 10, 20)).toEqual(['a', 'b']);
  });

  it('change places by one call where they may adopt as well', async () => {
    const { listener, move } = await served({ a: [10, 20], b: [20, 10] });
    const calls = countMoves(listener);
    await move('a', { adopt: true });
    expect(places(listener, 10, 20)).toEqual(['b', 'a']);
    expect(calls).toHaveLength(1);
  });

  it.each<[string, (served: Served) => unknown]>([
    ['whose object is gone', ({ statuses }) => statuses.delete('b')],
    ['of another installation', ({ listener }) => listener.change(20, { owner: 'default/b@there' })],
    ['of nobody that is known', ({ listener }) => listener.change(20, { owner: 'x' })],
  ])('take over a rule %s that they may adopt', async (_, change) => {
    const all = await served({ a: [10, 20], b: [20, 20] });
    change(all);
    await all.move('a', { adopt: true });
    expect(places(all.listener, 20)).toEqual(['a']);
    expect(all.listener.owner(20)).toBe('default/a@here');
  });

  it.each<[string, string]>([
    ['of another installation', 'default/b@there'],
    ['of nobody that is known', 'x'],
  ])('stay where the other is that %s', async (_, owner) => {
    const { listener, move } = await served({ a: [10, 20], b: [20, 10] });
    listener.change(20, { owner });
    await expect(move('a')).rejects.toMatchObject({ type: 'Conflict' });
    expect(places(listener, 10, 20)).toEqual(['a', 'b']);
  });

  it('stay where the object of the other speaks of another rule', async () => {
    const { listener, move, statuses } = await served({ a: [10, 20], b: [20, 10] });
    const b = statuses.get('b') as Application;
    statuses.set('b', { ...b, ruleARN: `${b.ruleARN}0` });
    await expect(move('a')).rejects.toMatchObject({ type: 'Conflict' });
    expect(places(listener, 10, 20)).toEqual(['a', 'b']);
  });
});

describe('the rule that a status names at another priority', () => {
  it('is not moved back when it is someone else’s now', async () => {
    const { listener, move } = await served({ a: [10, 20] });
    listener.change(10, { owner: 'default/a@there' });
    await expect(move('a')).rejects.toMatchObject({
      type: 'Conflict',
      message: expect.stringContaining('Expected the rule that the status names') as string,
    });
    expect(listener.rule(10, listenerARN)).toBeDefined();
  });
});
