// Checks all settings at once, for whoever starts the processes, and says which variables each of them gets. A process of its own, so that nothing of it
// stays in memory.
import { ConfigError } from './config-error.ts';
import { loadProcessConfig } from './load-process-config.ts';
import { PROCESS_NAMES, variablesOf } from './process-variables.ts';

/** Those that whoever starts brings itself where they are not set. */
const BROUGHT = { REDIS_URL: 'unix:///redis.sock', MONGODB_URI: 'mongodb://%2Fstore.sock/chorus' };

const given = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== ''));
let problems: readonly string[] = [];
try {
  loadProcessConfig({ ...BROUGHT, ...given });
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  problems = error.problems;
}
const variables = Object.fromEntries(PROCESS_NAMES.map((name) => [name, variablesOf(name)]));
process.stdout.write(JSON.stringify({ problems, variables }));
