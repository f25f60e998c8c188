import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { releaseStartMemory } from '../../packages/runtime/src/memory/index.ts';
import { findRedis } from '../setup/redis.mjs';
import { addressOf, announcement } from './announcement.ts';
import { findFreePort } from './free-port.ts';
import { type Instance, InstanceLock, readInstance } from './instance-lock.ts';
import { platformProcesses } from './platform-processes.ts';
import { endStrayRedis } from './redis-process.ts';
import { runPlatform } from './run-platform.ts';
import { endLeftovers } from './run-record.ts';
import { checkSettings, type Settings, SettingsError } from './settings.ts';
import { socketFolder } from './socket-folder.ts';
import type { Terminal } from './terminal.ts';
import { untilStoresAnswer } from './until-stores-answer.ts';

/**
 * Starts the whole platform of the repository at `root` and runs it until it is asked to stop.
 * @returns the exit code; 0 also if it already runs
 * @throws {SettingsError} if the settings are wrong; nothing runs then
 */
export async function startPlatform(root: string, wanted: Settings, terminal: Terminal): Promise<number> {
  const began = performance.now();
  const finding = wanted.redisUrl ? undefined : redisProgram();
  finding?.catch(() => undefined); // awaited below: wrong settings are reported first
  const variables = await checkSettings(wanted.dataDir);
  const folder = join(wanted.dataDir, 'run');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = await takeLock(folder);
  if (!lock) {
    terminal.say(describeOther(readInstance(folder), wanted.dataDir));
    return 0;
  }
  const sockets = socketFolder(folder);
  const publish = (state: Instance['state'], url: string) => lock.publish({ pid: process.pid, state, url, sockets });
  publish('starting', addressOf(new Map(), wanted));

  const recordFile = join(folder, 'processes.json');
  await endLeftovers(recordFile, wanted.graceMs + 2000, (names) => {
    terminal.say(`An earlier run was killed; waiting for its processes to end (${names.join(', ')}) …`);
  });
  if (!wanted.redisUrl) await endStrayRedis(join(sockets, 'redis.sock'));

  const settings = { ...wanted, port: await findFreePort(wanted.host, wanted.port) };
  const redisServer = await finding;
  await untilStoresAnswer(wanted, (text) => terminal.say(text));
  terminal.say('Starting …');
  let url = addressOf(new Map(), settings);
  const code = await runPlatform({
    definitions: platformProcesses({ variables, root, settings, sockets, ...(redisServer && { redisServer }) }),
    terminal,
    recordFile,
    logFolder: join(settings.dataDir, 'logs'),
    graceMs: settings.graceMs,
    onReady: (reports) => {
      url = addressOf(reports, settings);
      publish('ready', url);
      terminal.say(announcement(reports, settings, root, performance.now() - began));
      releaseStartMemory();
    },
    onStopping: () => publish('stopping', url),
  });
  lock.release();
  return code;
}

/** @returns undefined if another start holds the data directory and keeps running */
async function takeLock(folder: string): Promise<InstanceLock | undefined> {
  for (;;) {
    const lock = InstanceLock.acquire(folder);
    if (lock || readInstance(folder)?.state !== 'stopping') return lock;
    await delay(50);
  }
}

function describeOther(other: Instance | undefined, dataDir: string): string {
  if (other?.state === 'ready') {
    return `Chorus is already running with this data (${dataDir}): ${other.url} (process ${other.pid}).`;
  }
  return `${other ? `Process ${other.pid}` : 'Another process'} is already starting Chorus with this data (${dataDir}).`;
}

async function redisProgram(): Promise<string> {
  const { path } = await findRedis();
  if (path) return path;
  throw new SettingsError('No Redis server of version 6.2 or newer was found. `npm start` installs one.');
}
