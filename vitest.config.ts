import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    // One more than the cores that it must do with: much of the time is spent waiting for locks to run out.
    maxWorkers: 3,
    testTimeout: 60_000,
    hookTimeout: 60_000,
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
