import { readFileSync } from 'node:fs';

/** Writes the URLs of all loaded modules to a file at exit. */
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

export const notingModules = (file: string) => ({
  CHORUS_TEST_MODULES: file,
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(NOTE_MODULES)}`,
});

export const notedModules = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');
