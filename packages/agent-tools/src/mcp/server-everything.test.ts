import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '@chorus/testing';
import { expect, onTestFinished, test } from 'vitest';
import { callOf, toolNamed } from '../test-tools.ts';
import { McpPool } from './mcp-pool.ts';
import { mcpTools } from './mcp-tools.ts';
import { connectTo, log, outbound } from './test-mcp-server.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'));

async function startEverything(): Promise<string> {
  const port = await freePort();
  const child = spawn(process.execPath, [PROGRAM, 'streamableHttp'], {
    env: { PATH: process.env.PATH, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(async () => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  });
  for await (const line of createInterface({ input: child.stderr })) if (line.includes('listening')) break;
  return `http://127.0.0.1:${port}/mcp`;
}

test('the reference server works: texts, images, links, structures, and long calls', async () => {
  const pool = new McpPool({ outbound, log, limits: { callMs: 3_000 } });
  onTestFinished(() => pool.close());
  const server = { ...connectTo(await startEverything()), slug: 'everything' };
  const parts = { pool, onError: (error: unknown) => expect.fail(String(error)) };
  const named = await mcpTools(parts, server, () => true, new AbortController().signal);
  const tools = named.map(({ tool }) => tool);
  const run = (name: string, args = {}) => toolNamed(tools, name).run(args, callOf());
  expect((await run('echo', { message: 'hello' })).text).toBe('Echo: hello');
  expect((await run('get-sum', { a: 2, b: 3 })).text).toContain('5');
  expect((await run('get-tiny-image')).text).toContain('[Image, not stored: image/png');
  expect((await run('get-resource-links', { count: 2 })).text.match(/\[Link: /g)).toHaveLength(2);
  expect((await run('get-structured-content', { location: 'Chicago' })).text).toContain('temperature');
  expect(await run('echo', { message: 1 })).toMatchObject({ isError: true });
  // Longer than a call may be silent, but its progress keeps it alive.
  const long = await run('trigger-long-running-operation', { duration: 4, steps: 8 });
  expect(long.text).toMatch(/completed/i);
});
