import { checkImportRules } from './import-rules.ts';
import type { CheckOutcome } from './run-program.ts';
import { runProgram } from './run-program.ts';

/** One static check: what it is called in `npm run check:<name>` and on the screen, and how it is run. */
export interface Check {
  name: string;
  says: string;
  run: () => Promise<CheckOutcome>;
}

/**
 * The types are checked by TypeScript 7, which takes a third of the time; what reads the code by TypeScript's own interface needs version 6. By its path, since both name
 * their program `tsc`.
 */
const checkTypes = (project: string) => runProgram('../typescript-native/bin/tsc', ['--singleThreaded', '-p', project]);

/** Every static check of `npm test`, in the order they are shown. */
export const checks: Check[] = [
  { name: 'lint', says: 'format and lint', run: () => runProgram('biome', ['check', '--error-on-warnings', '.']) },
  { name: 'types', says: 'types', run: () => checkTypes('.') },
  { name: 'console-types', says: 'types: console', run: () => checkTypes('apps/console') },
  { name: 'imports', says: 'import rules', run: checkImportRules },
  { name: 'unused', says: 'dead code', run: () => runProgram('knip', ['--no-progress', '--no-config-hints']) },
];
