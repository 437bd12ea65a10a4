import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['{crds,domain,workflows,activities,clients,watchers,cli,deploy}/**/*.test.ts', '*.test.ts'],
        },
      },
    ],
  },
});
