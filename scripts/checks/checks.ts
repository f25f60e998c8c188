import { checkDocuments } from './documents.ts';
import { checkImportRules } from './import-rules.ts';
import { checkLicenses } from './licenses.ts';
import { checkNotices } from './notices.ts';
import { checkProse } from './prose/check-prose.ts';
import type { CheckOutcome } from './run-program.ts';
import { runProgram } from './run-program.ts';

export interface Check {
  name: string;
  says: string;
  /** @param folders Limits a check that takes folders. */
  run: (folders: string[]) => Promise<CheckOutcome>;
}

/**
 * Checks types with TypeScript 7, which takes a third of the time. Other tools need the API of version 6. Both
 * programs are named `tsc`, so this one is given by its path. It collects garbage less often than by default, which
 * takes an eighth less CPU and hardly more memory.
 */
const checkTypes = (project: string) =>
  runProgram('../typescript-native/bin/tsc', ['--singleThreaded', '-p', project], { GOGC: '400' });

export const checks: Check[] = [
  { name: 'lint', says: 'format and lint', run: () => runProgram('biome', ['check', '--error-on-warnings', '.']) },
  { name: 'types', says: 'types', run: () => checkTypes('.') },
  { name: 'console-types', says: 'types: console', run: () => checkTypes('apps/console') },
  { name: 'imports', says: 'import rules', run: () => checkImportRules() },
  { name: 'unused', says: 'dead code', run: () => runProgram('knip', ['--no-progress', '--no-config-hints']) },
  { name: 'documents', says: 'documents', run: checkDocuments },
  { name: 'licenses', says: 'licenses', run: () => checkLicenses() },
  { name: 'notices', says: 'license notices', run: checkNotices },
  // Last, because it blocks this process while the others run in child processes.
  { name: 'prose', says: 'prose', run: checkProse },
];
