// Checks all settings for the supervisor, and prints the variables of each process. Runs in a child process to
// free its memory.
import { ConfigError } from './config-error.ts';
import { loadProcessConfig } from './load-process-config.ts';
import { PROCESS_NAMES, variablesOf } from './process-variables.ts';

const PROVIDED = { REDIS_URL: 'unix:///redis.sock', MONGODB_URI: 'mongodb://%2Fstore.sock/chorus' };

const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
let problems: readonly string[] = [];
try {
  loadProcessConfig({ ...PROVIDED, ...given });
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  problems = error.problems;
}
const variables = Object.fromEntries(PROCESS_NAMES.map((name) => [name, variablesOf(name)]));
process.stdout.write(JSON.stringify({ problems, variables }));
