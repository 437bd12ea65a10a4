import { describe, expect, it } from 'vitest';
import { withPart } from './report.ts';

describe('the part of a page that a group writes', () => {
  it('takes the place of what the group has written before, and of nothing else', () => {
    const page = 'a\n\n<!-- bench:start -->\n\nold\n\n<!-- /bench:start -->\n\nb\n';
    const written = withPart(page, 'start', 'new');
    expect(written).toBe('a\n\n<!-- bench:start -->\n\nnew\n\n<!-- /bench:start -->\n\nb\n');
    expect(withPart(written, 'start', 'new')).toBe(written);
  });

  it('is missed where the page has no place for it', () => {
    expect(() => withPart('a <!-- /bench:x --> <!-- bench:x -->', 'x', 'new')).toThrow(
      'Expected the page to have <!-- bench:x --> and <!-- /bench:x -->',
    );
  });
});
