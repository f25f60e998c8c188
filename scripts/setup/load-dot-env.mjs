import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import util from 'node:util';
import { root } from './project.mjs';
import { SetupError } from './setup-error.mjs';

/**
 * Reads the file `.env`, where there is one, into the environment; what that holds already wins.
 * @param {string} [file]
 * @param {NodeJS.ProcessEnv} [environment]
 * @throws {SetupError} where this Node can't
 */
export function loadDotEnv(file = join(root, '.env'), environment = process.env) {
  if (!existsSync(file)) return;
  // A named import would not even load in the first versions of Node 20, which lack it.
  if (!util.parseEnv) throw new SetupError('To read the file .env, Node.js 20.12 or newer is needed.');
  for (const [name, value] of Object.entries(util.parseEnv(readFileSync(file, 'utf8')))) environment[name] ??= value;
}
