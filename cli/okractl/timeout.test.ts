import { describe, expect, it } from 'vitest';
import { aCell } from './testing/objects.ts';
import { runOkractl } from './testing/shell.ts';
import { within } from './timeout.ts';

const forever = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const { signal } = new AbortController();
const soon = { text: '1s', milliseconds: 1 };

describe('a wait', () => {
  it('fails when the timeout is over', async () => {
    await expect(within({ signal }, { timeout: soon, what: 'Cell a/b' }, forever)).rejects.toMatchObject({
      code: 1,
      message: 'timed out after 1s waiting for Cell a/b.',
    });
  });

  it('fails when the timeout is over and what waited only ends', async () => {
    const ending = (limit: AbortSignal): Promise<void> => forever(limit).catch(() => undefined);
    await expect(within({ signal }, { timeout: soon, what: 'x' }, ending)).rejects.toMatchObject({ code: 1 });
  });

  it('gives what it waited for', async () => {
    const timeout = { text: '1h', milliseconds: 3_600_000 };
    expect(await within({ signal }, { timeout, what: 'x' }, () => Promise.resolve(1))).toBe(1);
    expect(await within({ signal }, { timeout: undefined, what: 'x' }, () => Promise.resolve(2))).toBe(2);
  });

  it('ends as interrupted, and not by the timeout, when the person interrupts it', async () => {
    const person = AbortSignal.abort('Ctrl+C');
    const waiting = within({ signal: person }, { timeout: soon, what: 'x' }, (any) =>
      any.aborted ? Promise.reject(new Error('interrupted')) : forever(any),
    );
    await expect(waiting).rejects.toThrow('interrupted');
  });
});

describe('--timeout', () => {
  it.each([
    [['watch', 'web', '--timeout', '5m'], '--timeout needs --until-settled.'],
    [['run', 'analysis', 'r1', '--template-name', 'a', '--timeout', '5m'], '--timeout needs --wait.'],
    [
      ['watch', 'web', '--until-settled', '--timeout', 'soon'],
      'It must be a duration such as 90s, 10m or 1h.',
    ],
    [['watch', 'web', '--until-settled', '--timeout', '0s'], 'It must be a duration such as 90s, 10m or 1h.'],
  ])('%j is bad usage', async (words, text) => {
    const { code, err } = await runOkractl(words, { objects: [aCell({})] });
    expect([code, err]).toEqual([2, expect.stringContaining(text)]);
  });

  it('limits how long a retry waits until okrad confirms it', async () => {
    const blockedVersions = [{ version: '2.0.0', cause: 'x', time: '2026-11-22T09:00:00Z' }];
    const objects = [aCell({ phase: 'Reverted', blockedVersions })];
    expect(await runOkractl(['retry', 'web', '--timeout', '1s'], { objects })).toMatchObject({
      code: 1,
      err: 'Retry queued; okrad has not confirmed it within 1s. See okractl describe and okractl check.\n',
    });
  });
});
