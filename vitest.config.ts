import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Starts the longest files first, or they would run alone at the end. Without a cache, vitest goes by size. */
const LONGEST = ['/journeys/console/', '/journeys/turns/', '/journeys/clients/', '/journeys/deletion'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((part) => moduleId.includes(part));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

/** Contains JSX and other syntax that only Vite handles. */
const CONSOLE = 'apps/console/**/*.test.ts';

/** Node runs the sources itself, as in production. It needs less CPU than Vite, which caches nothing. */
const BY_NODE = { viteModuleRunner: false, nodeLoader: false };

export default defineConfig({
  test: {
    pool: 'forks',
    // One per core. `npm test` uses three for the journeys and four for the rest, since tests often wait.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // On a slow machine, poll for longer before failing.
    expect: { poll: { timeout: 20_000 } },
    // `npm test` lists the tests that passed only on retry: look for a race, or a busy machine.
    retry: 1,
    // Files share processes, so modules load only once. No test changes globals.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'beside',
          include: ['{apps,packages,workers,scripts}/**/*.test.ts'],
          exclude: ['**/node_modules/**', CONSOLE],
          experimental: BY_NODE,
        },
      },
      { extends: true, test: { name: 'console', include: [CONSOLE] } },
      { extends: true, test: { name: 'journeys', include: ['test/**/*.test.ts'], experimental: BY_NODE } },
    ],
  },
});
