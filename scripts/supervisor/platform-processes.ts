import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { programFile } from '../programs/built-programs.mjs';
import type { ProcessDefinition } from './process-definition.ts';
import { processEnvironment } from './process-environment.ts';
import { redisProcess } from './redis-process.ts';
import type { ProcessVariables, Settings } from './settings.ts';

/**
 * Largest size of each half of V8's space for young objects. It grows under load only: at rest, a process is as small
 * as with 8 MB, and at 50 streams a turn takes 6 % less CPU time.
 */
const YOUNG_SPACE_MB = 32;

export interface PlatformParts {
  variables: ProcessVariables;
  root: string;
  settings: Settings;
  sockets: string;
  /** Undefined if REDIS_URL names a running one. */
  redisServer?: string;
}

/** They start together: a process that needs a store waits for it, and loads its sources in the meantime. */
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
  const environment = {
    DATA_DIR: dataDir,
    HOST: host,
    PORT: String(port),
    SHUTDOWN_GRACE_MS: String(graceMs),
    REDIS_URL: redisUrl,
    MONGODB_URI: settings.mongodbUri ?? `mongodb://${encodeURIComponent(storeSocket)}/chorus`,
  };
  const source = (path: string, args: string[] = []) => ({
    command: process.execPath,
    args: [`--max-semi-space-size=${YOUNG_SPACE_MB}`, programFile(root, path), ...args],
  });
  const serving = (name: string) => ({
    name,
    inherited: processEnvironment(variables[name] ?? []),
    environment,
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
    environment: {},
    stopStage: 1,
    readiness: 'stdout',
  };
  return [
    ...(redisServer ? [redisProcess(redisServer, join(dataDir, 'redis'), redisSocket)] : []),
    ...(settings.mongodbUri ? [] : [store]),
    { ...source('apps/api/src/main.ts'), ...serving('api') },
    ...backgroundProcesses(root, settings).map(({ name, main }) => ({ ...source(main), ...serving(name) })),
  ];
}

/** Lists the processes besides the API: maintenance and each worker, or one process for most of them. */
export function backgroundProcesses(
  root: string,
  { sharesProcess }: Pick<Settings, 'sharesProcess'>,
): { name: string; main: string }[] {
  const pools = sharesProcess ? ['text'] : readdirSync(join(root, 'workers')).sort();
  const upkeep = sharesProcess ? 'background' : 'maintenance';
  return [
    { name: upkeep, main: `apps/${upkeep}/src/main.ts` },
    ...pools.map((pool) => ({ name: `worker-${pool}`, main: `workers/${pool}/src/main.ts` })),
  ].filter(({ main }) => existsSync(join(root, main)));
}
