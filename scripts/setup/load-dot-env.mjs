import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import util from 'node:util';
import { root } from './project.mjs';
import { SetupError } from './setup-error.mjs';

/**
 * Loads `.env`, if it exists, into the environment; existing variables take precedence.
 * @param {string} [file]
 * @param {NodeJS.ProcessEnv} [environment]
 * @throws {SetupError} if this Node can't
 */
export function loadDotEnv(file = join(root, '.env'), environment = process.env) {
  if (!existsSync(file)) return;
  // A named import would fail to load in early versions of Node 20.
  if (!util.parseEnv) throw new SetupError('To read the file .env, Node.js 20.12 or newer is needed.');
  for (const [name, value] of Object.entries(util.parseEnv(readFileSync(file, 'utf8')))) environment[name] ??= value;
}
