import { describe, expect, it } from 'vitest';

import { isInstalled } from './npm-packages.mjs';

const wanted = {
  packages: {
    '': { version: '0.1.0' },
    'node_modules/zod': { version: '4.6.7', integrity: 'sha512-a' },
    'node_modules/only-for-macs': { version: '1.0.0', integrity: 'sha512-b', optional: true },
  },
};

describe('isInstalled', () => {
  it.each([
    [
      'is content without a package for another platform',
      { 'node_modules/zod': wanted.packages['node_modules/zod'] },
      true,
    ],
    ['sees another version', { 'node_modules/zod': { version: '4.6.6', integrity: 'sha512-a' } }, false],
    [
      'sees another content of the same version',
      { 'node_modules/zod': { version: '4.6.7', integrity: 'sha512-c' } },
      false,
    ],
    ['sees a missing package', {}, false],
  ])('%s', (_, packages, want) => expect(isInstalled(wanted, { packages })).toBe(want));

  it('sees that there is nothing', () => expect(isInstalled(wanted, undefined)).toBe(false));
});
