import { checkImportRules } from './import-rules.ts';
import type { CheckOutcome } from './run-program.ts';
import { runProgram } from './run-program.ts';

/** One static check: what it is called in `npm run check:<name>` and on the screen, and how it is run. */
export interface Check {
  name: string;
  says: string;
  run: () => Promise<CheckOutcome>;
}

/** Every static check of `npm test`, in the order they are shown. */
export const checks: Check[] = [
  { name: 'lint', says: 'format and lint', run: () => runProgram('biome', ['check', '--error-on-warnings', '.']) },
  { name: 'types', says: 'types', run: () => runProgram('tsc', ['-p', '.']) },
  { name: 'console-types', says: 'types: console', run: () => runProgram('tsc', ['-p', 'apps/console']) },
  { name: 'imports', says: 'import rules', run: checkImportRules },
  { name: 'unused', says: 'dead code', run: () => runProgram('knip', ['--no-progress', '--no-config-hints']) },
];
