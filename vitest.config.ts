import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        // Files follow each other in the same processes, so that what they import is loaded once. None of them changes what is global.
        test: { name: 'beside', include: ['{apps,packages,workers,scripts}/**/*.test.ts'], isolate: false },
      },
      { extends: true, test: { name: 'journeys', include: ['test/**/*.test.ts'] } },
    ],
  },
});
