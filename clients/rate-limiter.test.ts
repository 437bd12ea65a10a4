import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limitRate, type RateLimiter } from './rate-limiter.ts';

const EU = '111122223333/eu-west-1';

/** Calls of one quota by name, in the order in which they got their tokens. */
function calls(limiter: RateLimiter) {
  const sent: string[] = [];
  const call = (name: string, urgent: boolean, signal = new AbortController().signal): Promise<void> =>
    limiter.wait(EU, { urgent, signal }).then(() => void sent.push(name));
  return {
    sent,
    usual: (name: string, signal?: AbortSignal) => void call(name, false, signal),
    urgent: (name: string, signal?: AbortSignal) => void call(name, true, signal),
    call,
  };
}

const after = (milliseconds: number): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);

describe('a rate limit of one call a second, and two at once', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const rate = { perSecond: 1, burst: 2 };

  it('sends as many at once as the burst has, and the others in their order at the rate', async () => {
    const { sent, usual } = calls(limitRate(rate));
    for (const name of ['a', 'b', 'c', 'd']) usual(name);
    await after(0);
    expect(sent).toEqual(['a', 'b']);
    await after(1_000);
    expect(sent).toEqual(['a', 'b', 'c']);
    await after(1_000);
    expect(sent).toEqual(['a', 'b', 'c', 'd']);
  });

  it('is full again after a rest, and no fuller', async () => {
    const { sent, usual } = calls(limitRate(rate));
    for (const name of ['a', 'b']) usual(name);
    await after(60_000);
    for (const name of ['c', 'd', 'e']) usual(name);
    await after(0);
    expect(sent).toEqual(['a', 'b', 'c', 'd']);
  });

  it('sends a burst more of what is urgent, before all others, which wait for as long', async () => {
    const { sent, usual, urgent } = calls(limitRate(rate));
    for (const name of ['a', 'b', 'c']) usual(name);
    for (const name of ['abort', 'second abort', 'third abort']) urgent(name);
    await after(0);
    expect(sent).toEqual(['a', 'b', 'abort', 'second abort']);
    await after(1_000);
    expect(sent).toEqual(['a', 'b', 'abort', 'second abort', 'third abort']);
    await after(2_999);
    expect(sent.at(-1)).toBe('third abort');
    await after(1);
    expect(sent.at(-1)).toBe('c');
  });

  it('lets no call starve: one gets on after nine urgent ones', async () => {
    const { sent, usual, urgent } = calls(limitRate(rate));
    for (const name of ['a', 'b']) usual(name);
    await after(0);
    for (let count = 0; count < 100; count += 1) urgent(`abort ${count}`);
    usual('c');
    await after(30_000);
    expect(sent.indexOf('c')).toBe(2 + 9);
  });

  it('keeps what is given up from taking a token, and the others from waiting for it', async () => {
    const limiter = limitRate(rate);
    const { sent, usual, urgent, call } = calls(limiter);
    for (const name of ['a', 'b']) usual(name);
    const given = new AbortController();
    for (const name of ['taken', 'taken too']) urgent(name);
    const late = call('given up', true, given.signal);
    usual('c');
    late.catch(() => undefined);
    await after(0);
    given.abort(new Error('interrupted'));
    await expect(late).rejects.toThrow('interrupted');
    expect(limiter.waiting()).toEqual(new Map([[EU, 1]]));
    await after(3_000);
    expect(sent).toEqual(['a', 'b', 'taken', 'taken too', 'c']);
    await expect(call('over', false, given.signal)).rejects.toThrow('interrupted');
    expect(limiter.waiting()).toEqual(new Map([[EU, 0]]));
  });

  it('gives no token while it is paused, ten seconds at the most', async () => {
    const limiter = limitRate(rate);
    const { sent, usual, urgent } = calls(limiter);
    limiter.pause(EU, 3_600_000);
    limiter.pause(EU, 1_000);
    usual('a');
    urgent('abort');
    await after(9_999);
    expect(sent).toEqual([]);
    await after(1);
    expect(sent).toEqual(['abort', 'a']);
  });

  it('counts each quota apart', async () => {
    const limiter = limitRate({ perSecond: 1, burst: 1 });
    const { sent, usual } = calls(limiter);
    for (const name of ['a', 'b']) usual(name);
    void limiter
      .wait('111122223333/us-east-1', { urgent: false, signal: new AbortController().signal })
      .then(() => sent.push('elsewhere'));
    await after(0);
    expect(sent).toEqual(['a', 'elsewhere']);
  });
});
