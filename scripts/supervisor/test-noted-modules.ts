import { readFileSync } from 'node:fs';

/** Writes down at its end every module that a process has loaded. */
const NOTE_MODULES = `
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url + '\\n');
    return next(url, context);
  },
});
process.on('exit', () => appendFileSync(process.env.CHORUS_TEST_MODULES, loaded.join('')));
`;

/** Variables with which processes of Node, and those that they start, write their modules to a file when they end in order. */
export const notingModules = (file: string) => ({
  CHORUS_TEST_MODULES: file,
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NOTE_MODULES)}`,
});

/** Their URLs. */
export const notedModules = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');
