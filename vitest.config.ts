import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Starts the longest file first, or it would run alone at the end. Without a cache, vitest goes by size. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification) => Number(moduleId.endsWith('/console.test.ts'));
    return (await super.sort(files)).sort((one, other) => isLongest(other) - isLongest(one));
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    // One per core. `npm test` runs both projects at once, and gives `beside` one more.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A machine that is busy is slow: what is waited for comes, or the test fails for it.
    expect: { poll: { timeout: 20_000 } },
    // `npm test` names at its end what passed on the second try only: a race to look into, or a busy machine.
    retry: 1,
    // Files share processes, so that imports are loaded once. No test changes globals.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'beside', include: ['{apps,packages,workers,scripts}/**/*.test.ts'] } },
      { extends: true, test: { name: 'journeys', include: ['test/**/*.test.ts'] } },
    ],
  },
});
