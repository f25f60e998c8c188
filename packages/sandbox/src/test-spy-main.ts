import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { serveTasks } from './serve-tasks.ts';

export interface SpyTask {
  /** A file of the parent's that only its user may read. */
  secretFile: string;
  /** A folder that is to be hidden. */
  hiddenFile: string;
  /** What was lent. */
  lentFile: string;
  parentPid: number;
  /** Where the parent listens on loopback. */
  port: number;
}

export interface SpyReport {
  secret: string;
  hidden: string;
  lent: string;
  parentEnvironment: string;
  environment: string[];
  network: string;
  /** Lines of /proc/self/status, by name. */
  status: Record<string, string>;
  setuid: string;
}

const attempt = (work: () => string): string => {
  try {
    return work();
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
};

// A child that tries what one that was taken over would try.
serveTasks<null, SpyTask, SpyReport>(() => async ({ secretFile, hiddenFile, lentFile, parentPid, port }) => ({
  secret: attempt(() => readFileSync(secretFile, 'utf8')),
  hidden: attempt(() => readFileSync(hiddenFile, 'utf8')),
  lent: attempt(() => readFileSync(lentFile, 'utf8')),
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
  // A setuid program would answer 0.
  setuid: attempt(() => spawnSync('/usr/bin/setpriv', ['--reuid=0', 'id', '-u'], { encoding: 'utf8' }).stdout.trim()),
}));
