import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';

const watcher = new URL('./orphaned.mjs', import.meta.url).href;

/** Prints why it ended. Its output is its grandparent's. */
const child = (endsAfterMs: number) => `
import { whenOrphaned } from ${JSON.stringify(watcher)};
setTimeout(() => { console.log('time is up'); process.exit(); }, ${endsAfterMs});
whenOrphaned(() => { console.log('orphaned'); process.exit(); });
console.log('ready');
`;
const parentOf = (program: string) => `
import { spawn } from 'node:child_process';
spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(program)}], { stdio: 'inherit' });
setInterval(() => undefined, 1_000);
`;

/** Returns the output of a child whose parent is killed once it runs. */
async function lastOutputOf(env: NodeJS.ProcessEnv, endsAfterMs: number): Promise<string> {
  const parent = spawn(process.execPath, ['--input-type=module', '-e', parentOf(child(endsAfterMs))], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: parent.stdout });
  const [first] = await once(lines, 'line');
  expect(first).toBe('ready');
  parent.kill('SIGKILL');
  const [last] = await once(lines, 'line');
  return last;
}

test('a process that npm started ends with npm, no matter how npm ends', async () => {
  expect(await lastOutputOf({ ...process.env, npm_lifecycle_event: 'start' }, 60_000)).toBe('orphaned');
});

test('a process started by hand outlives its shell', async () => {
  const { npm_lifecycle_event: _, ...env } = process.env;
  expect(await lastOutputOf(env, 3_000)).toBe('time is up');
});
