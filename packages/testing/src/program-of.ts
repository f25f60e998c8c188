import { programFile } from '../../../scripts/programs/built-programs.mjs';
import { root } from '../../../scripts/setup/project.mjs';

/**
 * Returns the file that runs a program: its bundle if that is up to date, which starts in half the time.
 * @param source such as `apps/api/src/main.ts`
 */
export const programOf = (source: string): string => programFile(root, source);
