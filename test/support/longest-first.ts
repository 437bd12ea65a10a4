import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COSTS_FILE } from './plain-reporter.ts';

const costs = JSON.parse(readFileSync(COSTS_FILE, 'utf8')) as Readonly<Record<string, number>>;

/** What a file is taken to cost that was never measured: more than most, so that it does not begin last. */
const UNKNOWN_SECONDS = 100;

/** Begins with the files that take longest, so that none of them runs alone at the end; unit tests fill what is left. */
export class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const secondsOf = ({ project, moduleId }: TestSpecification): number =>
      project.name === 'unit' ? 0 : secondsFor(relative(root, moduleId));
    return Promise.resolve(files.toSorted((a, b) => secondsOf(b) - secondsOf(a)));
  }
}

/** The seconds that a file of integration tests is taken to cost. */
export const secondsFor = (path: string): number => costs[path] ?? UNKNOWN_SECONDS;
