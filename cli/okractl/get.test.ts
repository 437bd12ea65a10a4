import { expect, it } from 'vitest';
import { until } from '../../test/support/until.ts';
import { aWorld } from '../dashboard/testing/world.ts';
import { okractl } from './program.ts';
import { type Shell, withoutTerminal } from './shell.ts';
import { aCell, paused } from './testing/objects.ts';
import { runOkractl } from './testing/shell.ts';

it('shows with -o wide the reason, for how long it has been so, and the listener', async () => {
  const conditions = [
    {
      type: 'Progressing',
      status: 'True',
      reason: 'x',
      message: '',
      lastTransitionTime: '2026-11-22T09:00:00Z',
    } as const,
  ];
  const objects = [aCell({ ...paused, conditions })];
  const [headings = '', row = ''] = (await runOkractl(['get', '-o', 'wide'], { objects })).out.split('\n');
  expect(headings.split(/\s{2,}/).slice(-5)).toEqual(['AGE', 'REASON', 'FOR', 'LISTENER', 'MESSAGE']);
  expect(row).toMatch(/WaitingForResume +1h +arn:aws:elasticloadbalancing:\S+ +Waiting for resume/);
  expect((await runOkractl(['get'], { objects })).out).not.toContain('LISTENER');
});

it('prints with --watch the table, and a row for each change', async () => {
  const { put, remove, session } = aWorld({ objects: [aCell(paused)] });
  const out: string[] = [];
  const stop = new AbortController();
  const shell: Shell = {
    ...withoutTerminal,
    print: (text) => void out.push(...text.split('\n')),
    warn: (text) => void out.push(`warning: ${text}`),
    write: () => undefined,
    now: () => Date.parse('2026-11-22T10:00:00Z'),
    signal: stop.signal,
    read: () => Promise.reject(new Error('Expected no file to be read.')),
    filesAt: () => Promise.resolve([]),
    session: () => session,
    exitWith: () => undefined,
  };
  const ended = okractl(shell, '0.0.0').parseAsync(['get', 'web', '--watch'], { from: 'user' });
  await until('the table', async () => out.length === 2);
  const other = aCell({ phase: 'Completed' });
  // Of another name, it is not what was asked for.
  put({ ...other, metadata: { ...other.metadata, name: 'other' } });
  put(aCell({ ...paused, phase: 'Progressing' }));
  await until('a row', async () => out.length === 3);
  remove(aCell(paused));
  await until('the end', async () => out.length === 4);
  stop.abort();
  await ended;
  expect(out.map((line) => line.split(/\s+/).slice(0, 2).join(' '))).toEqual([
    'NAME PHASE',
    'web Paused',
    'web Progressing',
    'default/web deleted',
  ]);
});

it('refuses --watch with a format for programs', async () =>
  expect(await runOkractl(['get', '-w', '-o', 'json'])).toMatchObject({ code: 2, out: '' }));
