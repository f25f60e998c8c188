import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeCruise } from './import-rules.ts';
import { root } from './run-program.ts';
import { runTests } from './tests.ts';

const sources = ['packages/a/src/index.ts', 'packages/b/src/index.ts'];
const modules = [
  { source: 'packages/a/src/index.ts', dependencies: [{ resolved: 'packages/b/src/index.ts' }] },
  { source: 'packages/b/src/index.ts', dependencies: [] },
];

test('accepts a report that names every file and breaks no rule', () => {
  expect(judgeCruise({ modules, summary: { violations: [] } }, sources).ok).toBe(true);
});

test('rejects a report that read no files', () => {
  const { ok, output } = judgeCruise({ modules: [], summary: { violations: [] } }, sources);
  expect(ok).toBe(false);
  expect(output).toContain('2 of 2 source files were not read');
});

test('rejects a report without a single import', () => {
  const blind = modules.map((module) => ({ ...module, dependencies: [] }));
  expect(judgeCruise({ modules: blind, summary: { violations: [] } }, sources).ok).toBe(false);
});

test('reports a broken rule with both modules', () => {
  const violations = [{ rule: { name: 'downward', severity: 'error' }, from: 'packages/b', to: 'packages/a' }];
  const { ok, output } = judgeCruise({ modules, summary: { violations } }, sources);
  expect(ok).toBe(false);
  expect(output).toContain('downward: packages/b → packages/a');
});

test('reports failures in a test, around it, and outside of all tests, and tests that passed on retry', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-report-'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(
    join(folder, 'mixed.test.js'),
    `import { afterAll, expect, test } from 'vitest';
    test('good', () => {});
    test('bad', () => expect({ a: 1 }).toEqual({ a: 2 }));
    afterAll(() => { throw new Error('left behind'); });`,
  );
  await writeFile(
    join(folder, 'late.test.js'),
    `import { test } from 'vitest';
    test('good', () => { void Promise.reject(new Error('too late')); });`,
  );
  await writeFile(
    join(folder, 'flaky.test.js'),
    `import { expect, test } from 'vitest';
    let tries = 0;
    test('settles', { retry: 1 }, () => expect(++tries).toBe(2));`,
  );
  await writeFile(join(folder, 'broken.test.js'), "throw new Error('not loaded');");
  try {
    const { ok, passed, failed, failures, flaky } = await runTests([`--root=${folder}`], {
      showLater: true,
    });
    expect({ ok, passed, failed }).toEqual({ ok: false, passed: 3, failed: 4 });
    expect(flaky).toEqual([expect.stringMatching(/flaky\.test\.js > settles\n.*AssertionError/)]);
    const shown = failures.sort().join('\n');
    expect(shown).toMatch(/mixed\.test\.js > bad\n.*AssertionError(.*\n)*.*\+ {3}"a": 1/);
    expect(shown).toMatch(/mixed\.test\.js\n.*left behind/);
    expect(shown).toMatch(/broken\.test\.js\n.*not loaded/);
    expect(shown).toMatch(/outside of all tests\n.*too late/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
