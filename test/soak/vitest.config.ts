import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const root = join(import.meta.dirname, '../..');

// What takes minutes, and finds something else with each seed, is run by people, and not with all tests.
export default defineConfig({
  test: {
    root,
    name: 'soak',
    include: ['test/soak/*.soak.ts'],
    globalSetup: ['test/support/setup.ts'],
    hookTimeout: 480_000,
    disableConsoleIntercept: true,
  },
});
