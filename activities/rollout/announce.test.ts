import { describe, expect, it } from 'vitest';
import { failure } from '../failure.ts';
import { announce } from './traffic.ts';

const report = { key: { namespace: 'default', name: 'web' }, uid: 'uid', status: {}, events: [] };

/** What comes of telling where these attempts fail, and how often and how long it waits. */
async function told(failures: readonly Error[], signal = new AbortController().signal) {
  const left = [...failures];
  const waited: number[] = [];
  const tell = (): Promise<void> => {
    const next = left.shift();
    return next === undefined ? Promise.resolve() : Promise.reject(next);
  };
  const result = await announce(tell, report, signal, (milliseconds) => {
    waited.push(milliseconds);
    return Promise.resolve();
  });
  return { result, waited };
}

const unavailable = failure('Unavailable', 'Nobody answers.');

describe('telling before traffic moves', () => {
  it('is tried three times, a little later each time', async () => {
    expect(await told([])).toEqual({ result: { is: 'Told' }, waited: [] });
    expect(await told([unavailable, unavailable])).toEqual({ result: { is: 'Told' }, waited: [200, 400] });
    const refused = { is: 'Refused', reason: 'Unavailable', message: 'Nobody answers.' };
    expect(await told([unavailable, unavailable, unavailable])).toMatchObject({ result: refused });
  });

  it('is tried once where another attempt is of no use, or something more urgent has come up', async () => {
    const invalid = failure('InvalidObject', 'The status does not fit.');
    expect(await told([invalid])).toMatchObject({ result: { is: 'Refused' }, waited: [] });
    expect(await told([unavailable], AbortSignal.abort())).toMatchObject({
      result: { is: 'Refused' },
      waited: [],
    });
  });
});
