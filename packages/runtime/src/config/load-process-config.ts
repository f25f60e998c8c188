import { accessSync, constants, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ConfigError } from './config-error.ts';
import { type Config, loadConfig } from './load-config.ts';

const FILES = [
  'TLS_CERT_FILE',
  'TLS_KEY_FILE',
  'C2PA_CERTIFICATE_FILE',
  'C2PA_PRIVATE_KEY_FILE',
  'EMBEDDED_MODEL_PATH',
  'TESSDATA_PREFIX',
];

/**
 * Loads the configuration of a process. Also checks the named files and the data directory.
 * @throws {ConfigError} naming all problems at once
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

const FOLDERS = ['run', 'logs', 'redis', 'store', 'blobs', 'index'];

/** Creates the data directory if it is missing. Returns why it can't be used, or null. */
function dataDirProblem(folder: string): string | null {
  try {
    makeFolder(folder);
    const probe = join(folder, `.writable-${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
    for (const name of FOLDERS.map((one) => join(folder, one)))
      if (existsSync(name)) accessSync(name, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code, path = folder } = error as NodeJS.ErrnoException;
    return `DATA_DIR can't be written (${code} at ${path}): set it to a folder that this user may write`;
  }
}

/** Creates folders one by one, since Node's `recursive` may hang if a folder can't be created. */
function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = folder; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const path of missing) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(path)) throw error;
    }
  }
}
