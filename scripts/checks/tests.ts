import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './run-program.ts';
import { REPORT_VARIABLE, type TestCounts } from './test-report.ts';

export interface TestRun {
  environment?: Record<string, string>;
  /** Keeps the output until `show` is called, because another run is printing. */
  showLater?: boolean;
}

/**
 * Runs vitest.
 * @param args arguments of vitest
 * @returns counts, and whether it exited with 0
 */
export async function runTests(
  args: string[],
  { environment = {}, showLater = false }: TestRun = {},
): Promise<TestCounts & { ok: boolean; show(): void }> {
  const temporary = await mkdtemp(join(tmpdir(), 'chorus-tests-'));
  const report = join(temporary, 'report.json');
  const kept: Buffer[] = [];
  try {
    const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts/checks/test-report.ts')}`];
    const code = await new Promise<number>((resolve) => {
      const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...args], {
        cwd: root,
        env: { ...process.env, ...environment, [REPORT_VARIABLE]: report },
        stdio: showLater ? ['ignore', 'pipe', 'pipe'] : 'inherit',
      });
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => kept.push(piece));
      const stop = (signal: NodeJS.Signals) => child.kill(signal);
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
      const ended = (exitCode: number | null) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
        resolve(exitCode ?? 1);
      };
      child.on('error', () => ended(1));
      child.on('close', ended);
    });
    const counts: TestCounts = await readFile(report, 'utf8').then(
      (text) => JSON.parse(text) as TestCounts,
      () => ({ passed: 0, failed: 0, failures: [], flaky: [] }),
    );
    // A failure of vitest itself must not end in "0 failed".
    if (code !== 0 && counts.failed === 0) {
      counts.failed = 1;
      counts.failures.push(`vitest ended with ${code}`);
    }
    return { ...counts, ok: code === 0, show: () => process.stdout.write(Buffer.concat(kept)) };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
