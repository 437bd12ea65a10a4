import { describe, expect, it } from 'vitest';
import type { ELBv2 } from '../../../clients/aws/elbv2.ts';
import { applicationLoadBalancer } from './application-load-balancer.ts';
import { anyWriting, applyTo, forwarding, dependenciesWith } from './testing/apply.ts';
import { aListener, listenerARN, type FakeListener } from './testing/listener.ts';

/** A listener whose reads do not show what is created on it, as ELBv2 does for seconds or minutes. */
function lateListener(): FakeListener {
  const listener = aListener();
  listener.showNew(false);
  return listener;
}

const conflict = { type: 'Conflict' };
const later = { type: 'NotServed', message: expect.stringContaining('does not list the rule yet') as string };

describe('a rule that reads do not show yet', () => {
  it('is served as CreateRule has answered', async () => {
    const served = await applyTo(lateListener(), { a: 100 });
    expect(served).toMatchObject({
      ruleARN: expect.stringContaining('listener-rule') as string,
      listener: { rule: { forward: { targetGroups: [{ name: 'a', weight: 100 }] } } },
    });
  });

  it('is not served where the answer is another than what was asked for', async () => {
    const listener = lateListener();
    const elbv2 = {
      ...listener.elbv2,
      createRule: async (input: Parameters<ELBv2['createRule']>[0]) => ({
        ...(await listener.elbv2.createRule(input)),
        Conditions: [],
      }),
    };
    await expect(applyTo({ ...listener, elbv2 }, { a: 100 })).rejects.toMatchObject({ type: 'NotServed' });
  });

  it('takes weights, and is served as ModifyRule has answered', async () => {
    const listener = lateListener();
    const served = await applyTo(listener, { a: 100, b: 0 });
    const after = await applyTo(listener, { a: 80, b: 20 }, { observed: served });
    expect(listener.weights(10)).toEqual({ a: 80, b: 20 });
    expect(after.listener.rule.forward.targetGroups).toMatchObject([{ weight: 80 }, { weight: 20 }]);
  });

  it('is not in its own way when nobody knows what it serves: it is written by its ARN', async () => {
    const listener = lateListener();
    const served = await applyTo(listener, { a: 100, b: 0 });
    const after = await applyTo(listener, { a: 0, b: 100 }, { observed: served, verify: true });
    expect(listener.weights(10)).toEqual({ a: 0, b: 100 });
    expect(after.ruleARN).toBe(served.ruleARN);
  });

  it('gets other conditions all the same', async () => {
    const listener = lateListener();
    const served = await applyTo(listener, { a: 100 });
    const edited = forwarding({ a: 100 }, {}, { hosts: ['b.com'] });
    await applyTo(listener, {}, { forwarding: edited, observed: served, verify: true });
    expect(listener.rule(10)?.Conditions).toMatchObject([{ HostHeaderConfig: { Values: ['b.com'] } }]);
  });

  it('is found when it is shown at last, also where its status was lost', async () => {
    const listener = lateListener();
    const { ruleARN } = await applyTo(listener, { a: 100, b: 0 });
    const elbv2 = {
      ...listener.elbv2,
      createRule: (input: Parameters<ELBv2['createRule']>[0]) => {
        listener.showNew(true);
        return listener.elbv2.createRule(input);
      },
    };
    const after = await applyTo({ ...listener, elbv2 }, { a: 80, b: 20 }, { verify: true });
    expect(after.ruleARN).toBe(ruleARN);
    expect(listener.weights(10)).toEqual({ a: 80, b: 20 });
  });

  it('is looked for again, and no conflict, where its status was lost and it is not shown', async () => {
    const listener = lateListener();
    await applyTo(listener, { a: 100 });
    await expect(applyTo(listener, { a: 100 }, { verify: true })).rejects.toMatchObject(later);
  });
});

describe('a rule that is deleted with its object', () => {
  const calls = (listener: FakeListener) => applicationLoadBalancer.connect(dependenciesWith(listener));
  const removal = { key: { namespace: 'default', name: 'web' }, forwarding: forwarding({ a: 100 }) };

  it('goes also where reads do not show it yet', async () => {
    const listener = lateListener();
    const served = await applyTo(listener, { a: 100 });
    await calls(listener).remove({ ...removal, observed: served }, anyWriting);
    expect(listener.rule(10)).toBeUndefined();
  });

  it('stays where reads do not show it yet, and its tag is someone else’s', async () => {
    const listener = lateListener();
    const served = await applyTo(listener, { a: 100 });
    listener.change(10, { owner: 'default/api@here' });
    await calls(listener).remove({ ...removal, observed: served }, anyWriting);
    expect(listener.rule(10)).toBeDefined();
  });

  it('is never one of another listener, whatever its status names', async () => {
    const listener = aListener();
    const [served, elsewhere] = [await applyTo(listener, { a: 100 }), `${listenerARN}2`];
    const input = { ListenerArn: elsewhere, Priority: 10, Conditions: [], Actions: [] };
    const { RuleArn: ruleARN = '' } = await listener.elbv2.createRule(input);
    await calls(listener).remove({ ...removal, observed: { ...served, ruleARN } }, anyWriting);
    expect(listener.rule(10, elsewhere)).toBeDefined();
  });

  it('stays at another listener where it has become someone else’s', async () => {
    const listener = aListener();
    const served = await applyTo(listener, { a: 100 });
    listener.change(10, { owner: 'default/api@here' });
    const elsewhere = forwarding({ a: 100 }, { listenerARN: `${listenerARN}2` });
    await calls(listener).remove({ ...removal, forwarding: elsewhere, observed: served }, anyWriting);
    expect(listener.rule(10)).toBeDefined();
  });

  it.each([
    ['and be no obstacle', undefined, undefined],
    ['where a policy that goes by tags denies it then', 'AccessDenied', undefined],
    ['but it is tried again where AWS throttles', 'Throttling', 'Throttling'],
  ])('may be gone already, %s', async (_, refusal, want) => {
    const listener = aListener();
    const served = await applyTo(listener, { a: 100 });
    listener.remove(10);
    const deleteRule = (): Promise<void> =>
      refusal === undefined
        ? Promise.resolve()
        : Promise.reject(Object.assign(new Error(), { name: refusal }));
    const elbv2 = { ...listener.elbv2, deleteRule };
    const removing = calls({ ...listener, elbv2 }).remove({ ...removal, observed: served }, anyWriting);
    expect(await removing.catch((error: unknown) => (error as Error).name)).toBe(want);
  });
});

describe('what is read after a write', () => {
  it('is believed where it is another than what was written', async () => {
    const listener = aListener();
    const elbv2 = {
      ...listener.elbv2,
      createRule: async (input: Parameters<ELBv2['createRule']>[0]) => {
        const created = await listener.elbv2.createRule(input);
        listener.change(10, { conditions: [] });
        return created;
      },
    };
    await expect(applyTo({ ...listener, elbv2 }, { a: 100 })).rejects.toMatchObject({ type: 'NotServed' });
  });

  it('is believed where it is nothing, and was something before the write', async () => {
    const listener = aListener();
    const served = await applyTo(listener, { a: 100, b: 0 });
    const elbv2 = {
      ...listener.elbv2,
      modifyRule: async (input: Parameters<ELBv2['modifyRule']>[0]) => {
        const modified = await listener.elbv2.modifyRule(input);
        listener.remove(10);
        return modified;
      },
    };
    const deleted = applyTo({ ...listener, elbv2 }, { a: 80, b: 20 }, { observed: served });
    await expect(deleted).rejects.toMatchObject({ type: 'NotServed' });
  });

  it('is a conflict where the rule in the way is someone else’s', async () => {
    const listener = aListener();
    listener.byHand(10, {});
    listener.showNew(true);
    const elbv2 = {
      ...listener.elbv2,
      rulesOf: (() => {
        let reads = 0;
        return (...asked: Parameters<typeof listener.elbv2.rulesOf>) =>
          ++reads === 1 ? Promise.resolve([]) : listener.elbv2.rulesOf(...asked);
      })(),
    };
    await expect(applyTo({ ...listener, elbv2 }, { a: 100 }, { adopt: false })).rejects.toMatchObject(
      conflict,
    );
  });

  it('is looked for again where the rule in the way is not that of the status', async () => {
    const listener = aListener();
    const served = await applyTo(listener, { a: 100 });
    listener.remove(10);
    listener.showNew(false);
    listener.byHand(10, {});
    const before = listener.rule(10);
    await expect(applyTo(listener, { a: 100 }, { observed: served, verify: true })).rejects.toMatchObject(
      later,
    );
    expect(listener.rule(10)).toEqual(before);
  });
});

describe('a rule whose priority is edited', () => {
  const moved = { forwarding: forwarding({ a: 100 }, {}, { priority: 20 }) };

  it('moves, and keeps its weights', async () => {
    const listener = aListener();
    const served = await applyTo(listener, { a: 100 });
    await applyTo(listener, {}, { ...moved, observed: served });
    expect([listener.rule(10), listener.weights(20)]).toEqual([undefined, { a: 100 }]);
  });

  it('stays where a rule stands that reads do not show, and is no conflict', async () => {
    const listener = aListener();
    const served = await applyTo(listener, { a: 100 });
    listener.showNew(false);
    listener.byHand(20, {});
    await expect(applyTo(listener, {}, { ...moved, observed: served })).rejects.toMatchObject(later);
    expect(listener.weights(10)).toEqual({ a: 100 });
  });
});
