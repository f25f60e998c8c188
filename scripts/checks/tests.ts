import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { root } from './run-program.ts';

interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name?: string; status: string; assertionResults: { status: string; fullName?: string }[] }[];
}

export interface TestCounts {
  passed: number;
  failed: number;
  /** The failed ones: file and name. */
  failures: string[];
}

export interface TestRun {
  /** Added to this process's environment. */
  environment?: Record<string, string>;
  /** Shows its output when it has ended rather than as it comes, for one that runs beside something else that is shown. */
  showLater?: boolean;
}

/**
 * Runs vitest.
 *
 * @param args go to vitest
 * @returns its exit code as `ok`, and its counts; a file that could not be loaded counts as one failed test
 */
export async function runTests(
  args: string[],
  { environment = {}, showLater = false }: TestRun = {},
): Promise<TestCounts & { ok: boolean; show(): void }> {
  const temporary = await mkdtemp(join(tmpdir(), 'chorus-tests-'));
  const report = join(temporary, 'report.json');
  const kept: Buffer[] = [];
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const code = await new Promise<number>((resolve) => {
      const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args], {
        cwd: root,
        env: { ...process.env, ...environment },
        stdio: showLater ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      });
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => kept.push(piece));
      child.on('error', () => resolve(1));
      child.on('close', (exitCode) => resolve(exitCode ?? 1));
    });
    const counts = await readFile(report, 'utf8').then(
      (text) => countTests(JSON.parse(text) as VitestReport),
      () => ({ passed: 0, failed: 0, failures: [] }),
    );
    // What fails outside a test (an unhandled rejection, vitest itself) must not end in "0 failed".
    const failed = code === 0 ? counts.failed : Math.max(1, counts.failed);
    return { ...counts, ok: code === 0, failed, show: () => process.stdout.write(Buffer.concat(kept)) };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The tests that passed and failed in a report of vitest's JSON reporter. */
export function countTests(report: VitestReport): TestCounts {
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  );
  const failures = report.testResults.flatMap(({ name = '', assertionResults }) => {
    const file = relative(root, name);
    return assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName = '' }) => `${file} > ${fullName}`);
  });
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFiles.length,
    failures: [...failures, ...brokenFiles.map(({ name = '' }) => `${relative(root, name)} could not be run`)],
  };
}
