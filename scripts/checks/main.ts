// `test [vitest arguments]` runs the checks and the tests. `check [name] [folder]` runs the static checks, or
// one of them. `soak` runs tests that take too long for `npm test`.
import { type Check, checks } from './checks.ts';
import type { TestCounts } from './test-report.ts';
import { runTests } from './tests.ts';

const SOAKED = [
  'test/journeys',
  'document-store/src/durability',
  'document-store/src/plan/planner',
  'batches/src/feeder-failures',
  'api/src/nul-characters',
  'api/src/role-matrix',
  'documents/src/hostile',
  'ocr/src/create-ocr',
  'provenance/src/hostile-files',
  'scripts/docker-compose',
];

const [task = 'test', ...args] = process.argv.slice(2);

if (task === 'test') {
  process.exitCode = args.length === 0 ? await testAll() : conclude(await runChecks(checks), [await runTests(args)]);
} else if (task === 'soak') {
  process.exitCode = conclude([], [await runTests([...SOAKED, ...args], { environment: { CHORUS_SOAK: '1' } })]);
} else if (task === 'check') {
  const chosen = args.length === 0 ? checks : checks.filter((check) => args.includes(check.name));
  const folders = args
    .filter((arg) => !chosen.some((check) => check.name === arg))
    .map((arg) => arg.replace(/\/$/, ''));
  const known = chosen.length > 0 && (folders.length === 0 || args.includes('prose'));
  if (!known) console.error(`Unknown check. Use one of: ${checks.map((check) => check.name).join(', ')}`);
  process.exitCode = !known || (await runChecks(chosen, folders)).length > 0 ? 1 : 0;
} else {
  console.error(`Unknown task "${task}": one of test, soak, check.`);
  process.exitCode = 1;
}

/** Runs everything at the same time: journeys often wait for locks to expire and processes to start. */
async function testAll(): Promise<number> {
  const journeys = runTests(['--project=journeys', '--maxWorkers=3'], { showLater: true });
  const [failedChecks, beside] = await Promise.all([
    runChecks(checks),
    runTests(['--project=beside', '--project=console', '--maxWorkers=4']),
  ]);
  const ended = await journeys;
  ended.show();
  return conclude(failedChecks, [beside, ended]);
}

async function runChecks(chosen: Check[], folders: string[] = []): Promise<string[]> {
  const failed: string[] = [];
  const began = performance.now();
  await Promise.all(
    chosen.map(async (check) => {
      const { ok, output } = await check.run(folders);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.log(`${ok ? '✓' : '✗'} ${check.says.padEnd(16)} ${seconds} s`);
      if (ok) return;
      failed.push(check.says);
      console.log(`\n${output.trim()}\n`);
    }),
  );
  return failed;
}

function conclude(failedChecks: string[], runs: (TestCounts & { ok: boolean })[]): number {
  if (failedChecks.length > 0) console.log(`\nFailed checks: ${failedChecks.join(', ')} (shown above)`);
  const failures = runs.flatMap(({ failures }) => failures);
  const flaky = runs.flatMap(({ flaky }) => flaky);
  if (flaky.length > 0) console.log(`\nPassed on the second try only:\n${flaky.join('\n')}`);
  if (failures.length > 0) console.log(`\nFailed tests:\n${failures.join('\n')}`);
  const sum = (what: 'passed' | 'failed') => runs.reduce((total, run) => total + run[what], 0);
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
  return runs.every(({ ok }) => ok) && failedChecks.length === 0 ? 0 : 1;
}
