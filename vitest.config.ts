import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{crds,domain,workflows,activities,clients,watchers,cli,deploy}/**/*.test.ts',
            '*.test.ts',
          ],
        },
      },
      {
        test: {
          name: 'integration',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/setup.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          // Each file has processes of its own; more of them at once than cores only makes all of them late.
          maxWorkers: Math.min(3, availableParallelism()),
        },
      },
    ],
  },
});
