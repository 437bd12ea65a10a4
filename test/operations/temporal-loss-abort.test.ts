import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Stack } from '../../local/stack.ts';
import type { Stage } from '../support/stage/stage.ts';
import { withoutRepeats } from '../support/stage/without-repeats.ts';
import { loseTemporal } from './temporal-loss/losing.ts';
import { openOwnStage, type OwnStage } from './temporal-loss/own-stage.ts';
import { until } from '../support/until.ts';

describe('when the database of Temporal is lost, an abort that ELBv2 does not let through yet', () => {
  let stack: Stack;
  let stage: Stage;
  let own: OwnStage;
  let priority = 0;
  beforeAll(async () => {
    own = await openOwnStage(inject('stack'));
    ({ stack, stage } = own);
  });
  afterAll(() => own.close());
  beforeEach(async () => {
    priority += 10;
    await stage.mark();
  });
  afterEach(async () => {
    expect(await stage.violations([20, 40], priority)).toEqual([]);
  });

  const steps = [{ setWeight: 20 }, { pause: {} }, { setWeight: 40 }, { pause: {} }];

  /** A Cell that serves 1.0.0. */
  async function serving(name: string): Promise<void> {
    await stage.targetGroups('1.0.0', [`${name}a`], { role: name });
    await stage.apply(stage.cell(name, { priority, role: name, steps }));
    await stage.untilPhase(name, 'Completed', '1.0.0');
    await stage.mark();
  }
  const newer = (name: string): Promise<void> => stage.targetGroups('2.0.0', [`${name}b`], { role: name });
  /** Throttles writes to the rules of the listener, after the first `passing` ones. */
  const throttle = (passing = 0): Promise<string> =>
    stage.proxy.addFault({
      kind: 'throttle',
      match: { action: 'ModifyRule', contains: `/${stage.listenerARN.split('/')[2]}/` },
      times: 'always',
      ...(passing === 0 ? {} : { bucket: { perSecond: 0.0001, burst: passing } }),
    });
  const untilThrottled = async (): Promise<void> => {
    const since = await stage.proxy.lastCall();
    await until('a write that is throttled', async () => {
      const calls = await stage.proxy.calls({ since, action: 'ModifyRule' });
      return calls.some(({ outcome }) => outcome.code === 'Throttling');
    });
  };
  /** Everything is back and stays there, and the version is not tried again. */
  async function isBack(name: string): Promise<void> {
    const status = await stage.untilStatus(name, 'settled', ({ phase, conditions = [] }) => {
      const isSettled = conditions.some((one) => one.type === 'Progressing' && one.status === 'False');
      return phase === 'Reverted' && isSettled;
    });
    expect(status).toMatchObject({ stableVersion: '1.0.0', blockedVersions: [{ version: '2.0.0' }] });
    expect(await stage.weights(priority)).toEqual({ [`${name}a`]: 100, [`${name}b`]: 0 });
  }

  it('is carried out by the next run, which never gives more to the version', async () => {
    await serving('late');
    await newer('late');
    await stage.untilStatus(
      'late',
      'paused at 20',
      (status) => status.phase === 'Paused' && status.canaryWeight === 20,
    );
    const fault = await throttle();
    await stage.signal('late', 'abort', { by: 'ann', reason: 'errors' });
    await stage.untilStatus('late', 'reverting', ({ phase }) => phase?.endsWith('Reverting') === true);
    await untilThrottled();
    await loseTemporal(stack);
    await stage.proxy.removeFault(fault);
    await isBack('late');
    expect(withoutRepeats(await stage.writes())).toEqual([
      { latea: 100, lateb: 0 },
      { latea: 80, lateb: 20 },
      { latea: 100, lateb: 0 },
    ]);
  });

  it('is not forgotten when the first increase had not been let through either', async () => {
    await serving('early');
    // The canary is attached, and its first increase waits.
    const fault = await throttle(1);
    await newer('early');
    await untilThrottled();
    await stage.signal('early', 'abort', { by: 'ann', reason: 'errors' });
    await stage.untilStatus('early', 'told of the abort', ({ blockedVersions = [], phase }) => {
      return blockedVersions.length > 0 || phase?.endsWith('Reverting') === true;
    });
    await loseTemporal(stack);
    await stage.proxy.removeFault(fault);
    await isBack('early');
    expect(withoutRepeats(await stage.writes())).toEqual([{ earlya: 100, earlyb: 0 }]);
  });
});
