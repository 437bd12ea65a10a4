import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';

import type { Reporter, TestModule } from 'vitest/node';
import type { Counts } from '../../local/tests.mjs';

/** Where the seconds stand that each file of integration tests takes, by its path. */
export const COSTS_FILE = `${import.meta.dirname}/costs.json`;

/** Leaves the counts of a run where the bootstrap finds them, which prints those of all runs as its very last line. */
export class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    if (process.env['OKRA_RECORD_COSTS'] !== undefined) recordCosts(modules);
    const file = process.env['OKRA_TEST_COUNTS'];
    if (file === undefined) return;
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const count = (state: string): number => states.filter((each) => each === state).length;
    // A file that does not load, or a suite whose hook fails, counts: its tests neither passed nor were asked to be skipped.
    const groups = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const broken = groups.filter((group) => group.errors().length > 0).length;
    const counts: Counts = {
      passed: count('passed'),
      failed: count('failed') + broken + errors.length,
      skipped: count('skipped'),
    };
    writeFileSync(file, JSON.stringify(counts));
  }
}

/** Writes down what files of integration tests took, for the order in which they begin. */
function recordCosts(modules: readonly TestModule[]): void {
  const known = JSON.parse(readFileSync(COSTS_FILE, 'utf8')) as Readonly<Record<string, number>>;
  const measured = modules
    .filter(({ project }) => project.name === 'integration')
    .map((module) => [
      relative(module.project.config.root, module.moduleId),
      Math.round(module.diagnostic().duration / 1000),
    ]);
  const costs = Object.entries({ ...known, ...Object.fromEntries(measured) }).toSorted(byPath);
  writeFileSync(COSTS_FILE, `${JSON.stringify(Object.fromEntries(costs), undefined, 2)}\n`);
}

const byPath = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

// Vitest takes a reporter from a file by its default export.
export default PlainReporter;
