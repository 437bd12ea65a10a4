import { beforeEach, describe, expect, it, vi } from 'vitest';

const MINUTE = 60_000;
let info: object;
/** The waits that were made, in milliseconds. */
let waits: (number | undefined)[];
/** What happens during a wait. */
let meanwhile: () => void;
let renewedWith: unknown;

vi.mock('@temporalio/workflow', () => ({
  workflowInfo: () => info,
  condition: (happened: () => boolean, milliseconds?: number) => {
    waits.push(milliseconds);
    meanwhile();
    return Promise.resolve(happened());
  },
  makeContinueAsNewFunc: (options: unknown) => () => {
    renewedWith = options;
    return Promise.resolve();
  },
}));
const { goOn, isDue, waitUntil } = await import('./renewal.ts');

const unversioned = {
  historyLength: 10,
  continueAsNewSuggested: false,
  targetWorkerDeploymentVersionChanged: false,
};
const versioned = { ...unversioned, currentDeploymentVersion: { deploymentName: 'okra', buildId: 'v1' } };
const superseded = { ...versioned, targetWorkerDeploymentVersionChanged: true };

beforeEach(() => {
  info = unversioned;
  waits = [];
  meanwhile = () => undefined;
  renewedWith = undefined;
});

const never = (): boolean => false;

describe('a wait', () => {
  it.each([
    ['as long as it is told without versions', unversioned, 60 * MINUTE, [60 * MINUTE]],
    ['for ever without versions', unversioned, undefined, [undefined]],
    [
      'as long as it is told where the code has a version and no deployment',
      { ...unversioned, currentDeploymentVersion: { deploymentName: '', buildId: 'x' } },
      60 * MINUTE,
      [60 * MINUTE],
    ],
    ['ten minutes at a time with versions', versioned, 25 * MINUTE, [10 * MINUTE, 10 * MINUTE, 5 * MINUTE]],
  ])('lasts %s', async (_, known, milliseconds, want) => {
    info = known;
    await waitUntil(never, milliseconds, 'Waiting');
    expect(waits).toEqual(want);
  });

  it('ends when another version has become current, however long it was to be', async () => {
    info = versioned;
    meanwhile = () => {
      if (waits.length === 3) info = superseded;
    };
    expect(await waitUntil(never, undefined, 'Waiting')).toBe(true);
    expect(waits).toEqual([10 * MINUTE, 10 * MINUTE, 10 * MINUTE]);
  });
});

describe('a run', () => {
  it.each([
    ['continues', versioned, false],
    ['is over when another version has become current', superseded, true],
    ['is over when its history is long', { ...unversioned, historyLength: 1_001 }, true],
  ])('%s', (_, known, want) => {
    info = known;
    expect(isDue()).toBe(want);
  });

  it.each([
    [
      'on the version that is current when it was superseded',
      superseded,
      { initialVersioningBehavior: 'AUTO_UPGRADE' },
    ],
    ['on its own version otherwise', versioned, {}],
  ])('continues as new %s', async (_, known, want) => {
    info = known;
    await goOn();
    expect(renewedWith).toEqual(want);
  });
});
