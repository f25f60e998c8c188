import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { freePort } from '@chorus/testing';
import { processFamily } from './process-family.ts';

export interface Twin {
  /** Address of the API, if it is one. */
  url: string | undefined;
  stop(): Promise<void>;
}

/** Starts another process of a running platform, with the environment that the supervisor gave the first. */
export async function startTwin(supervisor: number, name: string): Promise<Twin> {
  const [command = '', ...args] = readFile(pidOf(supervisor, name), 'cmdline');
  const environment = readFile(pidOf(supervisor, name), 'environ').map((pair) => pair.split(/=(.*)/s).slice(0, 2));
  const child = spawn(command, args, {
    env: { ...Object.fromEntries(environment), PORT: String(await freePort()), CHORUS_READY_FD: '3' },
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
  });
  const ready = createInterface({ input: child.stdio[3] as Readable });
  const [line] = (await once(ready, 'line')) as [string];
  return {
    url: (JSON.parse(line) as { url?: string }).url,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function pidOf(supervisor: number, name: string): number {
  const found = processFamily(supervisor).find((one) => one.name === name);
  if (!found) throw new Error(`${name} does not run`);
  return found.pid;
}

const readFile = (pid: number, file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0').slice(0, -1);
