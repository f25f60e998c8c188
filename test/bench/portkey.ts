import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { freePort } from '@chorus/testing';

export const INSTALL_PORTKEY = 'npm install --no-save @portkey-ai/gateway@1.15.2';

export interface Peer {
  url: string;
  pid: number;
  stop(): void;
}

/**
 * Starts Portkey's gateway, a proxy without a queue, a store, or a log. Returns null if it is not installed.
 *
 * @param node path of the Node that runs it. Its own image has Node 20, which streams more slowly than ours.
 */
export async function startPortkey(node = process.execPath): Promise<Peer | null> {
  const program = findProgram();
  if (program === null) return null;
  const port = await freePort();
  const wrap = new URL('wrap-headers.mjs', import.meta.url).href;
  const child = spawn(node, ['--import', wrap, program, '--headless', `--port=${port}`], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(url, child);
  return { url, pid: child.pid as number, stop: () => child.kill() };
}

function findProgram(): string | null {
  try {
    const described = createRequire(import.meta.url).resolve('@portkey-ai/gateway/package.json');
    return join(described, '../build/start-server.js');
  } catch {
    return null;
  }
}

async function untilItAnswers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the gateway ended with exit code ${child.exitCode}`);
}
