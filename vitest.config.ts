import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

// A file of integration tests keeps a third of a core busy, and waits for the rest of its time; the servers that all share
// have no use for more than a few at once.
const maxWorkers = Math.min(6, availableParallelism() * 3);

const root = import.meta.dirname;

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    // Integration tests start okrad without importing it: with --changed, a change of it runs them all.
    forceRerunTriggers: [
      `${root}/{activities,cli,clients,config,crds,domain,watchers,workflows}/**/!(*.test).{ts,yaml}`,
      `${root}/!(*.test).{ts,json}`,
      `${root}/{deploy,local}/**/!(*.test).{py,mjs,json,yaml,tpl,txt,mod,sum}`,
      `${root}/local/{demo,bench}{.ts,/**/!(*.test).ts}`,
      `${root}/local/elbv2-proxy/**/!(*.test).ts`,
    ],
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{crds,domain,workflows,activities,clients,watchers,cli,config,deploy,local}/**/*.test.ts',
            'test/architecture/*.test.ts',
          ],
          // To load packages in a process for each file costs most of their time; modules of the project are each file's own.
          isolate: false,
          setupFiles: ['test/support/fresh-modules.ts'],
          // They run beside integration tests, with less priority; on a slow machine the longest has taken five minutes.
          testTimeout: 600_000,
          hookTimeout: 600_000,
          maxWorkers,
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/architecture/**', 'test/containers/**'],
          // As above.
          isolate: false,
          setupFiles: ['test/support/fresh-modules.ts'],
          globalSetup: ['test/support/setup.ts'],
          testTimeout: 480_000,
          hookTimeout: 480_000,
          maxWorkers,
        },
      },
      {
        // `npm test -- --containers` starts them where they have the network and the processes to themselves.
        test: {
          name: 'containers',
          include: ['test/containers/*.test.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
