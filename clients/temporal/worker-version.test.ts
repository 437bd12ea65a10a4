import { describe, expect, it } from 'vitest';
import { upgradesRuns, versioned } from './worker-version.ts';

const version = { deploymentName: 'okra', buildId: 'v2' };
const server = (serverVersion: string) =>
  ({ workflowService: { getSystemInfo: () => Promise.resolve({ serverVersion }) } }) as never;

describe('the version of a worker', () => {
  it('keeps runs on the version on which they began, where they can go on on another', async () => {
    expect(await versioned(version, server('1.30.4'))).toEqual({
      workerDeploymentOptions: { useWorkerVersioning: true, version, defaultVersioningBehavior: 'PINNED' },
    });
  });

  it('moves runs as they stand where they could never leave', async () => {
    expect(await versioned(version, server('1.29.1'))).toMatchObject({
      workerDeploymentOptions: { defaultVersioningBehavior: 'AUTO_UPGRADE' },
    });
  });

  it('is none unless it is asked for, and the server is not asked', async () => {
    expect(await versioned(undefined, {} as never)).toEqual({});
  });

  it.each([
    ['1.30.2', true],
    ['1.31.0-150.3', true],
    ['1.30.1', false],
    ['1.29.1', false],
    ['', false],
    [undefined, false],
    [null, false],
  ])('a server of version %s lets runs change the version: %s', (text, want) =>
    expect(upgradesRuns(text)).toBe(want),
  );
});
