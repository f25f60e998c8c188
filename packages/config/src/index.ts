export { ConfigError } from './config-error.ts';
export { exitOnConfigError } from './exit.ts';
export { type Config, loadConfig } from './load-config.ts';
export { type DataLocation, loadDataLocation } from './load-data-location.ts';
export { loadProcessConfig } from './load-process-config.ts';
export { loadRunningConfig } from './load-running-config.ts';
export { publicAddress } from './public-address.ts';
export { type ClusterAddress, parseClusterUrl, parseSentinelUrl, type SentinelAddress } from './redis-url.ts';
export { reportReady } from './report-ready.ts';
