import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

import type { TestError } from 'vitest';
import type { Reporter, TestCase, TestModule, TestSuite } from 'vitest/node';
import type { Counts } from '../../local/tests.mjs';

/** Where the seconds stand that each file of integration tests takes, by its path. */
export const COSTS_FILE = `${import.meta.dirname}/costs.json`;

/** Leaves the counts of a run, and what failed, where the bootstrap finds them, which ends its output with those of all runs. */
export class PlainReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly Thrown[]): void {
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
      failures: [...groups.flatMap(failureOf), ...modules.flatMap(failedTests), ...errors.map(unhandled)],
    };
    writeFileSync(file, JSON.stringify(counts));
  }
}

const failedTests = (module: TestModule): readonly string[] =>
  [...module.children.allTests('failed')].map((test) => failure(test, test.result().errors ?? []));

const failureOf = (group: TestModule | TestSuite): readonly string[] =>
  group.errors().length === 0 ? [] : [failure(group, group.errors())];

const unhandled = (error: Thrown): string => `outside of a test\n${shortened(error)}`;

/** Says what failed, where, and how, in a few lines. */
function failure(what: TestModule | TestSuite | TestCase, errors: readonly Thrown[]): string {
  const module = what.type === 'module' ? what : what.module;
  const file = relative(module.project.config.root, module.moduleId);
  const name = what.type === 'module' ? file : `${file} > ${what.fullName}`;
  return [name, ...errors.map(shortened)].join('\n');
}

/** What vitest keeps of an error: of an assertion also what differs. */
type Thrown = Pick<TestError, 'message' | 'diff' | 'stacks'>;

function shortened({ message, diff = '', stacks = [] }: Thrown): string {
  const places = stacks.slice(0, 3).map(({ file, line }) => `at ${file}:${line}`);
  return [...firstLines(message), ...firstLines(stripVTControlCharacters(diff)), ...places]
    .map((line) => `  ${line}`)
    .join('\n');
}

const firstLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, 20)
    .map((line) => line.slice(0, 300));

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
