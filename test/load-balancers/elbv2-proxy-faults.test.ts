import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createRule, errorOf, healthOf, setWeights, weightsOf } from './elbv2-proxy/calls.ts';
import { createSite, startFixture, type Fixture, type Site } from './elbv2-proxy/fixture.ts';
import { ownFaults } from '../support/stage/own-faults.ts';

let fixture: Fixture;
let site: Site;
let rule: string;
let other: Site;
let otherRule: string;

beforeAll(async () => {
  fixture = await startFixture();
  site = await createSite(fixture);
  rule = await createRule(fixture.elb, site);
  other = await createSite(fixture);
  otherRule = await createRule(fixture.elb, other);
}, 120_000);

afterAll(() => fixture[Symbol.asyncDispose]());

afterEach(async () => {
  await fixture.control.clearFaults();
  await setWeights(fixture.elb, site, { arn: rule, weights: [100, 0] });
});

const move = (weights: readonly number[]) => setWeights(fixture.elb, site, { arn: rule, weights });
const moveOther = () => setWeights(fixture.elb, other, { arn: otherRule, weights: [100, 0] });
const mine = () => ({ contains: `app/${site.name}/` });

async function lastWrite() {
  const calls = await fixture.control.calls({ listener: site.listener, action: 'ModifyRule' });
  return calls.at(-1);
}

describe('faults', () => {
  it('fail a call before it applies', async () => {
    await fixture.control.addFault({ kind: 'error', match: mine() });
    expect((await errorOf(move([80, 20]))).name).toBe('InternalFailure');
    expect(await weightsOf(fixture.elb, rule)).toEqual([100, 0]);
    expect(await lastWrite()).toMatchObject({
      applied: false,
      fault: 'error-before',
      outcome: { status: 500 },
    });
  });

  it('fail a call after it has applied', async () => {
    await fixture.control.addFault({
      kind: 'error',
      when: 'after',
      match: mine(),
      code: 'ServiceUnavailable',
      status: 503,
    });
    expect((await errorOf(move([80, 20]))).name).toBe('ServiceUnavailable');
    expect(await weightsOf(fixture.elb, rule)).toEqual([80, 20]);
    const logged = await lastWrite();
    expect(logged).toMatchObject({ applied: true, fault: 'error-after', outcome: { status: 503 } });
    expect(
      [logged?.before, logged?.after].map((views) => views?.[0]?.forward.map((one) => one.weight)),
    ).toEqual([
      [100, 0],
      [80, 20],
    ]);
  });

  it.each([
    ['before' as const, [100, 0]],
    ['after' as const, [80, 20]],
  ])('drop the connection %s a call applies', async (when, want) => {
    await fixture.control.addFault({ kind: 'drop', when, match: { ...mine(), action: 'ModifyRule' } });
    expect((await errorOf(move([80, 20]))).message).toMatch(/socket hang up|ECONNRESET/);
    expect(await weightsOf(fixture.elb, rule)).toEqual(want);
    expect(await lastWrite()).toMatchObject({ fault: `drop-${when}`, outcome: { status: 0 } });
  });

  it('are outlived by a client that tries again', async () => {
    await fixture.control.addFault({ kind: 'throttle', times: 2, match: mine() });
    await setWeights(fixture.client({ attempts: 3 }), site, { arn: rule, weights: [80, 20] });
    expect(await weightsOf(fixture.elb, rule)).toEqual([80, 20]);
  });

  it('throttle with either code, only the calls that they are meant for', async () => {
    await fixture.control.addFault({ kind: 'throttle', match: mine() });
    await fixture.control.addFault({ kind: 'throttle', match: mine(), code: 'ThrottlingException' });
    await moveOther();
    const ends = [
      await errorOf(move([80, 20])),
      await errorOf(move([80, 20])),
      await errorOf(move([80, 20])),
    ];
    expect(ends.map((end) => `${end.name}: ${end.message}`)).toEqual([
      'Throttling: Rate exceeded',
      'ThrottlingException: Rate exceeded',
      'nothing: ',
    ]);
  });

  it('hold an answer while others see that the write has applied', async () => {
    await fixture.control.addFault({
      kind: 'delay',
      when: 'after',
      delayMs: 3_000,
      match: { action: 'ModifyRule', ...mine() },
    });
    const started = performance.now();
    let isHeld = true;
    const held = move([80, 20]).then(() => {
      isHeld = false;
      return performance.now() - started;
    });
    for (let weights = await weightsOf(fixture.elb, rule); weights[1] !== 20;)
      weights = await weightsOf(fixture.elb, rule);
    expect(isHeld).toBe(true);
    // Timers may fire some milliseconds early.
    expect(await held).toBeGreaterThanOrEqual(2_990);
  });

  it('keep the order of writes where a held one ends late', async () => {
    await fixture.control.addFault({
      kind: 'delay',
      when: 'after',
      delayMs: 200,
      match: { action: 'ModifyRule', ...mine() },
    });
    const since = await fixture.control.lastCall();
    const first = move([80, 20]);
    for (let weights = await weightsOf(fixture.elb, rule); weights[1] !== 20;)
      weights = await weightsOf(fixture.elb, rule);
    await Promise.all([first, move([60, 40])]);
    const writes = await fixture.control.calls({ since, listener: site.listener, action: 'ModifyRule' });
    const inOrder = writes.toSorted((left, right) => (left.appliedOrder ?? 0) - (right.appliedOrder ?? 0));
    expect(inOrder.map((call) => call.after?.[0]?.forward[1]?.weight)).toEqual([20, 40]);
  });

  it('make reads stale, for rules and for health', async () => {
    await move([100]);
    await fixture.control.addFault({ kind: 'stale', match: { action: 'DescribeRules', ...mine() } });
    await fixture.control.addFault({
      kind: 'stale',
      match: { action: 'DescribeTargetHealth', contains: site.groups[1] ?? '' },
    });
    await move([60, 40]);
    expect([await weightsOf(fixture.elb, rule), await weightsOf(fixture.elb, rule)]).toEqual([
      [100],
      [60, 40],
    ]);
    expect([
      await healthOf(fixture.elb, site.groups[1]),
      await healthOf(fixture.elb, site.groups[1]),
    ]).toEqual([
      ['unused Target.NotInUse', 'unused Target.NotInUse'],
      ['healthy', 'healthy'],
    ]);
  });

  it('of one user of the proxy are disarmed without those of another', async () => {
    const own = ownFaults(fixture.control);
    await own.addFault({ kind: 'error', match: mine() });
    await move([80, 20]).catch(() => undefined);
    await own.addFault({ kind: 'error', match: mine(), times: 'always' });
    const others = await fixture.control.addFault({ kind: 'error', match: mine(), times: 'always' });
    await own.clearOwnFaults();
    expect((await fixture.control.faults()).map(({ id }) => id)).toEqual([others]);
  });

  it('that are wrong are refused with what was expected', async () => {
    const wrong = fixture.control.addFault({ kind: 'drop', match: { action: 'ModifyRules' } });
    await expect(wrong).rejects.toThrow(/match\.action.*ModifyRule.*got "ModifyRules"/s);
  });
});
