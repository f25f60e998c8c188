import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { root } from './project.mjs';

/** Reads the file `.env` in the repository's root, where there is one; what the environment holds already wins. */
export function loadDotEnv() {
  const file = join(root, '.env');
  if (!existsSync(file)) return;
  for (const [name, value] of Object.entries(parseEnv(readFileSync(file, 'utf8')))) process.env[name] ??= value;
}
