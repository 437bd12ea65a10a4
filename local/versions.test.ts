import { describe, expect, it } from 'vitest';

import { isAtLeast, misfit, readVersion } from './versions.mjs';

describe('readVersion', () => {
  it.each([
    ['Kubernetes v1.36.3', '1.36.3'],
    ['etcd Version: 3.6.16\nGit SHA: GitNotFound', '3.6.16'],
    ['Client Version: v1.32.4-dispatcher\nKustomize Version: v5.5.0', '1.32.4'],
    ['Kubernetes v1.36.0-rc.1', '1.36.0-rc.1'],
    ['temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)', '1.5.1'],
    ['kwok version v0.7.0 go1.26.8 (linux/amd64)', '0.7.0'],
    ['Kubernetes v0.0.0-master+$Format:%H$', '0.0.0'],
    ['command not found', undefined],
  ])('reads %j', (text, want) => expect(readVersion(text)).toBe(want));
});

describe('misfit', () => {
  it.each([
    ['takes another patch of the pinned minor', 'same-minor', '1.36.9', undefined],
    ['passes over another minor', 'same-minor', '1.35.2', 'is 1.35.2, wanted 1.36.x'],
    ['passes over another major', 'same-minor', '2.36.3', 'is 2.36.3, wanted 1.36.x'],
    ['takes one minor below', 'one-minor', '1.35.0', undefined],
    ['takes one minor above', 'one-minor', '1.37.0', undefined],
    ['passes over two minors', 'one-minor', '1.34.9', 'is 1.34.9, wanted 1.35.x to 1.37.x'],
    ['passes over a build without a version', 'same-minor', '0.0.0', 'is 0.0.0, wanted 1.36.x'],
    [
      'passes over a pre-release',
      'same-minor',
      '1.36.0-rc.1',
      'is the pre-release 1.36.0-rc.1, wanted a release of 1.36',
    ],
    ['takes the exact version', 'exact', '1.36.3', undefined],
    ['passes over another patch where it has to be exact', 'exact', '1.36.4', 'is 1.36.4, wanted 1.36.3'],
    ['passes over what reports nothing', 'same-minor', undefined, 'reports no version'],
  ] as const)('%s', (_, fit, got, want) => expect(misfit(fit, '1.36.3', got)).toBe(want));
});

describe('isAtLeast', () => {
  it.each([
    ['20.12.0', true],
    ['20.11.9', false],
    ['21.0.0', true],
    ['9.99.99', false],
  ])('compares %s by number', (got, want) => expect(isAtLeast(got, '20.12.0')).toBe(want));
});
