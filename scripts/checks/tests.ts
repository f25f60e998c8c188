import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './run-program.ts';

interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
}

export interface TestCounts {
  passed: number;
  failed: number;
}

/**
 * Runs vitest with its output on the terminal.
 * @param args go to vitest
 * @param environment added to this process's
 * @returns its exit code as `ok`, and its counts; a file that could not be loaded counts as one failed test
 */
export async function runTests(
  args: string[],
  environment: Record<string, string> = {},
): Promise<TestCounts & { ok: boolean }> {
  const temporary = await mkdtemp(join(tmpdir(), 'chorus-tests-'));
  const report = join(temporary, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const code = await new Promise<number>((resolve) => {
      const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args], {
        cwd: root,
        env: { ...process.env, ...environment },
        stdio: 'inherit',
      });
      child.on('error', () => resolve(1));
      child.on('exit', (exitCode) => resolve(exitCode ?? 1));
    });
    const counts = await readFile(report, 'utf8').then(
      (text) => countTests(JSON.parse(text) as VitestReport),
      () => ({ passed: 0, failed: 0 }),
    );
    // What fails outside a test (an unhandled rejection, vitest itself) must not end in "0 failed".
    return { ok: code === 0, passed: counts.passed, failed: code === 0 ? counts.failed : Math.max(1, counts.failed) };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The tests that passed and failed in a report of vitest's JSON reporter. */
export function countTests(report: VitestReport): TestCounts {
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + brokenFiles.length };
}
