import { describe, expect, it } from 'vitest';

import { complainAboutGo, complainAboutNode } from './prerequisites.mjs';

describe('complainAboutGo', () => {
  it.each([
    ['a Go that is new enough', 'go1.26.8\nlocal\n'],
    ['the lowest Go', 'go1.26.1\nlocal\n'],
    ['a newer line without a patch number', 'go1.27\nlocal\n'],
    ['an older Go that fetches the one it needs', 'go1.22.3\nauto\n'],
    ['an older Go that prefers itself but may switch', 'go1.22.3\nlocal+auto\n'],
  ])('accepts %s', (_, answer) => expect(complainAboutGo(answer)).toBeUndefined());

  it.each([
    ['no Go', undefined, 'got none'],
    ['an older Go that may not switch', 'go1.25.1\nlocal\n', 'got go1.25.1 with GOTOOLCHAIN=local'],
    ['the release before the lowest', 'go1.26\nlocal\n', 'got go1.26 with'],
    ['a Go that cannot switch yet', 'go1.20.14\nauto\n', 'got go1.20.14'],
  ])('refuses %s and says what to do', (_, answer, want) => {
    expect(complainAboutGo(answer)).toContain(want);
    expect(complainAboutGo(answer)).toContain('https://go.dev/dl');
  });
});

describe('complainAboutNode', () => {
  it('accepts Node 20.12', () => expect(complainAboutNode('20.12.0')).toBeUndefined());
  it('refuses Node 18 and says what to do', () => {
    expect(complainAboutNode('18.20.4')).toBe(
      'Expected Node 20.12.0 or newer, got 18.20.4. Install it from https://nodejs.org and run again.',
    );
  });
});
