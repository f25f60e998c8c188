import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckOutcome } from './run-program.ts';
import { root, runProgram } from './run-program.ts';

interface Cruise {
  modules: { source: string; dependencies: { resolved: string }[] }[];
  summary: { violations: { rule: { name: string; severity: string }; from: string; to: string }[] };
}

const folders = ['apps', 'packages', 'workers'];

/**
 * Checks the import rules with dependency-cruiser.
 *
 * With a TypeScript that it does not support, that tool reads no file and finds "no violations". The report
 * must therefore name each source file, and imports between them.
 */
export async function checkImportRules(): Promise<CheckOutcome> {
  const temporary = await mkdtemp(join(tmpdir(), 'chorus-imports-'));
  const report = join(temporary, 'report.json');
  try {
    const options = ['--config', '.dependency-cruiser.mjs', '--output-type', 'json', '--output-to', report];
    const { output } = await runProgram('depcruise', [...folders, ...options]);
    const cruise = await readFile(report, 'utf8').then(
      (text) => JSON.parse(text) as Cruise,
      () => undefined,
    );
    return cruise ? judgeCruise(cruise, sourceFiles()) : { ok: false, output };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

export function judgeCruise(cruise: Cruise, sources: string[]): CheckOutcome {
  const read = new Set(cruise.modules.map((module) => module.source));
  const unread = sources.filter((source) => !read.has(source));
  if (sources.length === 0) return { ok: false, output: 'No source file was found to check.' };
  if (unread.length > 0) {
    const examples = unread.slice(0, 5).join('\n  ');
    return { ok: false, output: `${unread.length} of ${sources.length} source files were not read:\n  ${examples}` };
  }
  if (sources.length > 1 && cruise.modules.every((module) => module.dependencies.length === 0)) {
    return { ok: false, output: `No import was found in ${sources.length} source files: they were not understood.` };
  }
  const broken = cruise.summary.violations.filter(({ rule }) => rule.severity === 'error');
  const lines = broken.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
  return { ok: broken.length === 0, output: `${lines.join('\n')}\n` };
}

function sourceFiles(): string[] {
  const patterns = folders.map((folder) => `${folder}/*/src/**/*.{ts,tsx}`);
  return globSync(patterns, { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
}
