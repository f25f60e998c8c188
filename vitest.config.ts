import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    // As many as the cores that it must do with; 'npm test' runs the two projects beside each other, and `beside` with one more.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A machine that is busy is slow: what is waited for comes, or the test fails for it.
    expect: { poll: { timeout: 20_000 } },
    // Files follow each other in the same processes, so that what they import is loaded once. None of them changes what is global.
    isolate: false,
    projects: [
      { extends: true, test: { name: 'beside', include: ['{apps,packages,workers,scripts}/**/*.test.ts'] } },
      { extends: true, test: { name: 'journeys', include: ['test/**/*.test.ts'] } },
    ],
  },
});
