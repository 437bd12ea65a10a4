import { describe, expect, it } from 'vitest';
import { hasColours, show, tint } from './colour.ts';
import { aCell } from './testing/objects.ts';
import { runOkractl } from './testing/shell.ts';

describe('the colour of a phase', () => {
  it.each([
    ['web   Completed   1.0.0', 'web   \u001B[32mCompleted\u001B[0m   1.0.0'],
    ['Phase:  Paused', 'Phase:  \u001B[33mPaused\u001B[0m'],
    ['web  Reverted  Paused before', 'web  \u001B[31mReverted\u001B[0m  Paused before'],
    ['web-Failed  NotFailed', 'web-Failed  NotFailed'],
    ['a Failed\nb Progressing', 'a \u001B[31mFailed\u001B[0m\nb \u001B[36mProgressing\u001B[0m'],
  ])('of %j', (text, want) => expect(tint(text)).toBe(want));

  it('is in a terminal, unless NO_COLOR or TERM says no', () => {
    expect(hasColours({}, { isTTY: true })).toBe(true);
    expect(hasColours({ NO_COLOR: '' }, { isTTY: true })).toBe(true);
    expect(hasColours({ NO_COLOR: '1' }, { isTTY: true })).toBe(false);
    expect(hasColours({ TERM: 'dumb' }, { isTTY: true })).toBe(false);
    expect(hasColours({}, {})).toBe(false);
  });

  it('is all that a text may do to the terminal', () => {
    let written = '';
    const shell = {
      write: (text: string) => void (written += text),
      print: () => undefined,
      isColoured: () => true,
    };
    show(shell, 'web \u001B[2JFailed Failed');
    expect(written).toBe('web  [2JFailed \u001B[31mFailed\u001B[0m\n');
  });

  it('is in what get and describe print with --color always, and not with never', async () => {
    const objects = [aCell({ phase: 'Paused' })];
    for (const command of ['get', 'describe']) {
      const words = command === 'get' ? ['get'] : ['describe', 'web'];
      expect((await runOkractl([...words, '--color', 'always'], { objects })).out).toContain('\u001B[3');
      expect((await runOkractl([...words, '--color', 'never'], { objects })).out).not.toContain('\u001B[3');
      expect((await runOkractl([...words], { objects })).out).not.toContain('\u001B[3');
    }
  });
});
