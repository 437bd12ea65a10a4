import { writeFileSync } from 'node:fs';

import type { Reporter, TestModule } from 'vitest/node';

/** Leaves the counts of a run where the bootstrap finds them, which prints them as its very last line. */
export class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const file = process.env['OKRA_TEST_COUNTS'];
    if (file === undefined) return;
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const count = (state: string): number => states.filter((each) => each === state).length;
    // A file that does not load, or a suite whose hook fails, counts: its tests neither passed nor were asked to be skipped.
    const groups = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const broken = groups.filter((group) => group.errors().length > 0).length;
    writeFileSync(
      file,
      countsLine({
        passed: count('passed'),
        failed: count('failed') + broken + errors.length,
        skipped: count('skipped'),
      }),
    );
  }
}

/** Renders counts as the plain line that ends `npm test`. */
export function countsLine(counts: {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}): string {
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  return `${counts.passed} passed, ${counts.failed} failed${skipped}`;
}

// Vitest takes a reporter from a file by its default export.
export default PlainReporter;
