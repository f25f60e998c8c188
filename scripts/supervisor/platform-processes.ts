import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessVariables } from './check-settings.ts';
import type { ProcessDefinition } from './process-definition.ts';
import { processEnvironment } from './process-environment.ts';
import type { Reports } from './ready-report.ts';
import { redisProcess } from './redis-process.ts';
import type { Settings } from './settings.ts';

export interface PlatformParts {
  /** Names of the variables that each process gets. */
  variables: ProcessVariables;
  /** The repository's root. */
  root: string;
  settings: Settings;
  /** The folder of the unix sockets. */
  sockets: string;
  /** The path of redis-server; undefined where REDIS_URL names one that runs. */
  redisServer?: string;
}

/** All processes of the platform: stores first, then the API and every worker pool that has a folder. */
export function platformProcesses({
  variables,
  root,
  settings,
  sockets,
  redisServer,
}: PlatformParts): ProcessDefinition[] {
  const { dataDir, host, port, graceMs } = settings;
  const redisSocket = join(sockets, 'redis.sock');
  const storeSocket = join(sockets, 'store.sock');
  const redisUrl = settings.redisUrl ?? `unix://${redisSocket}`;
  const environment = (reports: Reports) => ({
    DATA_DIR: dataDir,
    HOST: host,
    PORT: String(port),
    SHUTDOWN_GRACE_MS: String(graceMs),
    REDIS_URL: redisUrl,
    MONGODB_URI:
      settings.mongodbUri ?? reports.get('store')?.uri ?? `mongodb://${encodeURIComponent(storeSocket)}/chorus`,
  });
  const source = (path: string, args: string[] = []) => ({
    command: process.execPath,
    args: [join(root, path), ...args],
  });
  const serving = (name: string) => ({
    name,
    inherited: processEnvironment(variables[name] ?? []),
    environment,
    startStage: 1,
    stopStage: 0,
    readiness: 'report' as const,
  });
  const store: ProcessDefinition = {
    name: 'store',
    ...source('packages/document-store/src/main.ts', [
      '--path',
      join(dataDir, 'store'),
      '--socket',
      storeSocket,
      '--database',
      'chorus',
    ]),
    environment: () => ({}),
    startStage: 0,
    stopStage: 1,
    readiness: 'stdout',
  };
  return [
    ...(redisServer ? [redisProcess(redisServer, join(dataDir, 'redis'), redisSocket)] : []),
    ...(settings.mongodbUri ? [] : [store]),
    { ...source('apps/api/src/main.ts'), ...serving('api') },
    ...workerPools(root).map((pool) => ({
      ...source(`workers/${pool}/src/main.ts`),
      ...serving(`worker-${pool}`),
    })),
  ];
}

/** The pools that exist: each folder of workers/ with a main.ts. */
export function workerPools(root: string): string[] {
  const folder = join(root, 'workers');
  return readdirSync(folder)
    .filter((pool) => existsSync(join(folder, pool, 'src/main.ts')))
    .sort();
}
