export { ConfigError, exitOnConfigError } from './config-error.ts';
export { type Config, loadConfig } from './load-config.ts';
export { loadProcessConfig } from './load-process-config.ts';
export { type DataLocation, loadDataLocation, loadRunningConfig } from './load-running-config.ts';
export { reportReady } from './report-ready.ts';
