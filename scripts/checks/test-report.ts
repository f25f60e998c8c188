import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { SerializedError, TestModule } from 'vitest/node';
import { root } from './run-program.ts';

export interface TestCounts {
  passed: number;
  failed: number;
  /** What failed, each with where it is and the beginning of what it says. */
  failures: string[];
}

/** What the report reads of a file's tests: vitest's own object is one. */
export type ReportedModule = Pick<TestModule, 'moduleId' | 'children' | 'errors'>;

/** What is kept of an error: its message with the beginning of a difference, and where it was thrown. */
const ERROR_LINES = 12;

/** The environment's variable that names the file for the counts. */
export const REPORT_VARIABLE = 'CHORUS_TEST_REPORT';

/** A reporter of vitest's: writes the counts of a run, and what failed, as JSON. */
export default class TestReport {
  onTestRunEnd(modules: readonly ReportedModule[], unhandled: readonly SerializedError[]): void {
    const path = process.env[REPORT_VARIABLE];
    if (path !== undefined) writeFileSync(path, JSON.stringify(countTests(modules, unhandled)));
  }
}

/** A file that could not be loaded, a hook that failed, and an error outside of all tests count as one failed test each. */
export function countTests(modules: readonly ReportedModule[], unhandled: readonly SerializedError[]): TestCounts {
  const counts: TestCounts = { passed: 0, failed: 0, failures: [] };
  const fail = (where: string, errors: readonly SerializedError[]) => {
    counts.failed += 1;
    counts.failures.push(`${where}\n${errors.map(beginning).join('\n')}`);
  };
  for (const module of modules) {
    const file = relative(root, module.moduleId);
    for (const suite of [module, ...module.children.allSuites()])
      if (suite.errors().length > 0) fail('fullName' in suite ? `${file} > ${suite.fullName}` : file, suite.errors());
    for (const test of module.children.allTests()) {
      const { state, errors } = test.result();
      if (state === 'passed') counts.passed += 1;
      if (state === 'failed') fail(`${file} > ${test.fullName}`, errors ?? []);
    }
  }
  for (const error of unhandled) fail('outside of all tests', [error]);
  return counts;
}

function beginning({ name, message, diff, stack }: SerializedError): string {
  const told = `${name}: ${message}\n${typeof diff === 'string' ? diff : ''}\n${stack ?? ''}`;
  const lines = told.split('\n').filter((line) => line.trim() !== '');
  return lines
    .slice(0, ERROR_LINES)
    .map((line) => `    ${line}`)
    .join('\n');
}
