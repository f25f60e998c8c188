import { accessSync, constants } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import { dataDirProblem } from './data-dir-problem.ts';
import { type Config, loadConfig } from './load-config.ts';

/** Variables that name a file or folder which must be there. */
const FILES = [
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  'C2PA_CERTIFICATE_FILE',
  'C2PA_PRIVATE_KEY_FILE',
  'EMBEDDED_MODEL_PATH',
  'TESSDATA_PREFIX',
];

/**
 * The configuration that a process begins with. Beside the variables themselves it checks the files that they name and the data directory.
 *
 * @throws {ConfigError} naming all that is wrong at once
 */
export function loadProcessConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const problems: string[] = [];
  const config = tryLoad(env, problems);
  for (const name of FILES)
    if (env[name] && !isReadable(env[name])) problems.push(`${name} names no file that can be read`);
  if (config === null || keepsData(config)) {
    const problem = dataDirProblem(resolve(env.DATA_DIR || './.data'));
    if (problem !== null) problems.push(problem);
  }
  if (config === null || problems.length > 0) throw new ConfigError(problems);
  return config;
}

function tryLoad(env: NodeJS.ProcessEnv, problems: string[]): Config | null {
  try {
    return loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return null;
  }
}

/** Where all of it is elsewhere, nothing needs the folder. */
function keepsData({ blobs, index, secretKey }: Config): boolean {
  return blobs.kind === 'files' || !index.location.includes('://') || secretKey.keys === null;
}

function isReadable(path: string): boolean {
  try {
    accessSync(resolve(path.trim()), constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
