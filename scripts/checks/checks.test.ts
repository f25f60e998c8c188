import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeCruise } from './import-rules.ts';
import { root } from './run-program.ts';
import { countTests } from './tests.ts';

const sources = ['packages/a/src/index.ts', 'packages/b/src/index.ts'];
const modules = [
  { source: 'packages/a/src/index.ts', dependencies: [{ resolved: 'packages/b/src/index.ts' }] },
  { source: 'packages/b/src/index.ts', dependencies: [] },
];

test('a report that names every file and breaks no rule is good', () => {
  expect(judgeCruise({ modules, summary: { violations: [] } }, sources).ok).toBe(true);
});

test('a report of nothing read is not', () => {
  const { ok, output } = judgeCruise({ modules: [], summary: { violations: [] } }, sources);
  expect(ok).toBe(false);
  expect(output).toContain('2 of 2 source files were not read');
});

test('nor is one without a single import', () => {
  const blind = modules.map((module) => ({ ...module, dependencies: [] }));
  expect(judgeCruise({ modules: blind, summary: { violations: [] } }, sources).ok).toBe(false);
});

test('a broken rule is named with who imports whom', () => {
  const violations = [{ rule: { name: 'downward', severity: 'error' }, from: 'packages/b', to: 'packages/a' }];
  const { ok, output } = judgeCruise({ modules, summary: { violations } }, sources);
  expect(ok).toBe(false);
  expect(output).toContain('downward: packages/b → packages/a');
});

test('a test file that could not be loaded counts as a failed test', () => {
  const testResults = [
    { status: 'passed', assertionResults: [{ status: 'passed' }] },
    { name: join(root, 'b.test.ts'), status: 'failed', assertionResults: [] },
    {
      name: join(root, 'a.test.ts'),
      status: 'failed',
      assertionResults: [{ status: 'failed', fullName: 'works' }, { status: 'passed' }],
    },
  ];
  expect(countTests({ numPassedTests: 2, numFailedTests: 1, testResults })).toEqual({
    passed: 2,
    failed: 2,
    failures: ['a.test.ts > works', 'b.test.ts could not be run'],
  });
});
