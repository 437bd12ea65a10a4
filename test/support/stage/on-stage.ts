import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest';
import { Stage } from './stage.ts';

/** What a file of tests needs of its stage. */
export interface OnStage {
  /** The totals that the steps of its Cells let a version have besides 0 and 100. */
  readonly totals: readonly number[];
  /** What is added to okrad's environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Whether a test ends okrad, which then has a process of its own. */
  readonly endsOkrad?: boolean;
  /** Whether any of its Cells has traffic; they do unless this says otherwise. */
  readonly writes?: boolean;
  /** What is set up once. */
  readonly prepare?: (stage: Stage) => Promise<void>;
}

/**
 * Opens a stage for the tests of a file and closes it after them. Each test gets a rule priority of its own, begins with
 * requests that succeed and without the faults of others, and has its calls held against what must always hold.
 */
export function onStage(
  { totals, environment, endsOkrad = false, prepare, writes }: OnStage,
  use: (stage: Stage, priority: number) => void,
): void {
  let stage: Stage;
  let priority = 0;
  beforeAll(async () => {
    stage = await Stage.open(inject('stack'), environment, { endsOkrad });
    await stage.apply(stage.analysisTemplate('success-rate'));
    await prepare?.(stage);
  });
  afterAll(() => stage.close(writes === undefined ? {} : { writes }));
  beforeEach(async () => {
    priority += 10;
    use(stage, priority);
    stage.metrics.rate = 1;
    await stage.mark();
  });
  afterEach(async () => {
    // A test that fails leaves its faults armed, and okrad ended, which the next one does not expect.
    stage.okrad.start();
    await stage.proxy.clearOwnFaults();
    expect(await stage.violations(totals, priority)).toEqual([]);
  });
}
