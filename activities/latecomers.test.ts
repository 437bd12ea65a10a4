import { describe, expect, it } from 'vitest';
import { latecomers } from './latecomers.ts';

const patience = { waitMilliseconds: 20, keepMilliseconds: 60_000 };
const refused = new Error('refused');

describe('waiting for somebody who may be late', () => {
  it('takes what comes in time, and begins anew each time', async () => {
    const late = latecomers(patience);
    let begun = 0;
    const next = (): Promise<number> => Promise.resolve((begun += 1));
    expect(await late.wait('a', next)).toEqual({ is: 'Done', value: 1, isLate: false });
    expect(await late.wait('a', next)).toEqual({ is: 'Done', value: 2, isLate: false });
  });

  it('says what went wrong in time', async () => {
    const outcome = await latecomers(patience).wait('a', () => Promise.reject(refused));
    expect(outcome).toEqual({ is: 'Failed', error: refused, isLate: false });
  });

  it('begins nothing twice, and has the end of what was late stand for what is late again', async () => {
    const late = latecomers(patience);
    const first = Promise.withResolvers<string>();
    const never = (): Promise<string> => new Promise(() => undefined);
    expect(await late.wait('a', () => first.promise)).toEqual({ is: 'Waiting' });
    expect(await late.wait('a', () => Promise.resolve('begun twice'))).toEqual({ is: 'Waiting' });
    first.resolve('at last');
    await first.promise;
    expect(await late.wait('b', never)).toEqual({ is: 'Waiting' });
    expect(await late.wait('a', never)).toEqual({ is: 'Done', value: 'at last', isLate: true });
  });

  it('forgets what was late after a while', async () => {
    const late = latecomers({ waitMilliseconds: 20, keepMilliseconds: 1 });
    const first = Promise.withResolvers<string>();
    const never = (): Promise<string> => new Promise(() => undefined);
    await late.wait('a', () => first.promise);
    first.resolve('at last');
    expect(await late.wait('b', never)).toEqual({ is: 'Waiting' });
    expect(await late.wait('a', never)).toEqual({ is: 'Waiting' });
  });
});
