import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import { connect } from 'node:net';
import { join } from 'node:path';
import { serveTasks } from './child/serve-tasks.ts';

export interface SpyTask {
  secretFile: string;
  hiddenFile: string;
  lentFile: string;
  /** Folders lent to this child and to another one. */
  ownFolder: string;
  otherFolder: string;
  parentPid: number;
  port: number;
}

export interface SpyReport {
  secret: string;
  hidden: string;
  lent: string;
  writes: Record<'secret' | 'lent' | 'replaceLent' | 'own' | 'other' | 'compiled', string>;
  compiled: string;
  parentEnvironment: string;
  environment: string[];
  network: string;
  status: Record<string, string>;
  /** Soft limits, by name. */
  limits: Record<string, string>;
  setuid: string;
}

const attempt = (work: () => string): string => {
  try {
    return work();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
};

const write = (path: string): string =>
  attempt(() => {
    writeFileSync(path, 'overwritten');
    return 'written';
  });

const compiledFolder = () => getCompileCacheDir() ?? 'no cache';

// Tries what a compromised child would try.
serveTasks<null, SpyTask, SpyReport>(
  () =>
    async ({ secretFile, hiddenFile, lentFile, ownFolder, otherFolder, parentPid, port }) => ({
      secret: attempt(() => readFileSync(secretFile, 'utf8')),
      hidden: attempt(() => readFileSync(hiddenFile, 'utf8')),
      lent: attempt(() => readFileSync(lentFile, 'utf8')),
      writes: {
        secret: write(secretFile),
        lent: write(lentFile),
        replaceLent: write(`${lentFile}-too`),
        own: write(join(ownFolder, 'made')),
        other: write(join(otherFolder, 'made')),
        compiled: write(join(compiledFolder(), 'made')),
      },
      compiled: attempt(() => (readdirSync(compiledFolder()).length > 0 ? 'found' : 'empty')),
      parentEnvironment: attempt(() => readFileSync(`/proc/${parentPid}/environ`, 'utf8')),
      environment: Object.keys(process.env).sort(),
      network: await new Promise<string>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => resolve('connected'));
        socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'failed'));
      }),
      status: Object.fromEntries(
        readFileSync('/proc/self/status', 'utf8')
          .split('\n')
          .map((line) => [line.split(':')[0] ?? '', line.split(':')[1]?.trim() ?? '']),
      ),
      limits: Object.fromEntries(
        [...readFileSync('/proc/self/limits', 'utf8').matchAll(/^(Max [a-z ]+?) {2,}(\S+)/gm)].map(
          ([, name = '', soft = '']) => [name, soft],
        ),
      ),
      // A setuid program would return 0.
      setuid: attempt(() =>
        spawnSync('/usr/bin/setpriv', ['--reuid=0', 'id', '-u'], { encoding: 'utf8' }).stdout.trim(),
      ),
    }),
);
