import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { SerializedError, TestModule } from 'vitest/node';
import { root } from './run-program.ts';

export interface TestCounts {
  passed: number;
  failed: number;
  failures: string[];
  /** Tests that failed first and passed on retry. */
  flaky: string[];
}

export type ReportedModule = Pick<TestModule, 'moduleId' | 'children' | 'errors'>;

/** Lines kept of an error: message, start of the diff, and origin. */
const ERROR_LINES = 12;

export const REPORT_VARIABLE = 'CHORUS_TEST_REPORT';

/** A vitest reporter that writes counts and failures as JSON. */
export default class TestReport {
  onTestRunEnd(modules: readonly ReportedModule[], unhandled: readonly SerializedError[]): void {
    const path = process.env[REPORT_VARIABLE];
    if (path !== undefined) writeFileSync(path, JSON.stringify(countTests(modules, unhandled)));
  }
}

/**
 * Counts tests. A file that fails to load, a failed hook, and an error outside of tests count as one failure
 * each.
 */
export function countTests(modules: readonly ReportedModule[], unhandled: readonly SerializedError[]): TestCounts {
  const counts: TestCounts = { passed: 0, failed: 0, failures: [], flaky: [] };
  const describe = (where: string, errors: readonly SerializedError[]) =>
    `${where}\n${errors.map(beginning).join('\n')}`;
  const fail = (where: string, errors: readonly SerializedError[]) => {
    counts.failed += 1;
    counts.failures.push(describe(where, errors));
  };
  for (const module of modules) {
    const file = relative(root, module.moduleId);
    for (const suite of [module, ...module.children.allSuites()])
      if (suite.errors().length > 0) fail('fullName' in suite ? `${file} > ${suite.fullName}` : file, suite.errors());
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result();
      if (state === 'passed') counts.passed += 1;
      const where = `${file} > ${test.fullName}`;
      if (state === 'failed') fail(where, errors ?? []);
      else if (test.diagnostic()?.flaky) counts.flaky.push(describe(where, errors ?? []));
    }
  }
  for (const error of unhandled) fail('outside of all tests', [error]);
  return counts;
}

function beginning({ name, message, diff, stack }: SerializedError): string {
  const report = `${name}: ${message}\n${typeof diff === 'string' ? diff : ''}\n${stack ?? ''}`;
  const lines = report.split('\n').filter((line) => line.trim() !== '');
  return lines
    .slice(0, ERROR_LINES)
    .map((line) => `    ${line}`)
    .join('\n');
}
