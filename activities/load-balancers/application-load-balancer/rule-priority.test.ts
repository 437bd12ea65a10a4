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

describe('a rule that wants the priority of another', () => {
  it.each<[string, Record<string, [number, number]>]>([
    ['the other stays', { a: [10, 20], b: [20, 20] }],
    ['the other goes elsewhere, and will have gone', { a: [10, 20], b: [20, 30] }],
    ['the other wants its own', { a: [10, 20], b: [20, 10] }],
  ])('stays where %s', async (_, wishes) => {
    const { listener, move } = await served(wishes);
    await expect(move('a')).rejects.toMatchObject({
      type: 'Conflict',
      message: expect.stringContaining('move the other rule to a free priority first') as string,
    });
    expect(places(listener, 10, 20)).toEqual(['a', 'b']);
  });

  it('stays where the other stays, though it may adopt', async () => {
    const { listener, move } = await served({ a: [10, 20], b: [20, 20] });
    await expect(move('a', { adopt: true })).rejects.toMatchObject({
      type: 'Conflict',
      message: expect.stringContaining('default/b@here serves by it') as string,
    });
    expect(places(listener, 10, 20)).toEqual(['a', 'b']);
    expect([listener.owner(10), listener.owner(20)]).toEqual(['default/a@here', 'default/b@here']);
  });

  it('has its traffic taken back where it is, though it may adopt', async () => {
    const { listener, move } = await served({ a: [10, 20], b: [20, 20] });
    const back = await move('a', { adopt: true, urgent: true });
    expect(back.listener.rule.priority).toBe(10);
    expect(places(listener, 10, 20)).toEqual(['a', 'b']);
  });

  it.each<[string, (served: Served) => unknown]>([
    ['whose object is gone', ({ statuses }) => statuses.delete('b')],
    ['of another installation', ({ listener }) => listener.change(20, { owner: 'default/b@there' })],
    ['of nobody that is known', ({ listener }) => listener.change(20, { owner: 'x' })],
  ])('takes over one %s that it may adopt', async (_, change) => {
    const all = await served({ a: [10, 20], b: [20, 20] });
    change(all);
    await all.move('a', { adopt: true });
    expect(places(all.listener, 20)).toEqual(['a']);
    expect(all.listener.owner(20)).toBe('default/a@here');
  });
});

describe('the rule that a status names at another priority', () => {
  it('is not moved back when it is someone else’s now', async () => {
    const { listener, move } = await served({ a: [10, 20] });
    listener.change(10, { owner: 'default/a@there' });
    await expect(move('a')).rejects.toMatchObject({
      type: 'Conflict',
      message: expect.stringContaining('Cannot use the rule that the status names') as string,
    });
    expect(listener.rule(10, listenerARN)).toBeDefined();
  });
});
