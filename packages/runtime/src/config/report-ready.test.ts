import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

it('reports once it serves, and keeps its compile cache for the next start even if it is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-compiled-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const source = `
    const { reportReady } = await import(${JSON.stringify(new URL('report-ready.ts', import.meta.url).href)});
    process.stdout.write(String(reportReady({ port: 8080 })));
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    env: { NODE_COMPILE_CACHE: folder, CHORUS_READY_FD: '3' },
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  const [report] = await once(child.stdio[3] as NodeJS.ReadableStream, 'data');
  expect(JSON.parse(String(report))).toEqual({ ready: true, port: 8080 });
  const [answer] = await once(child.stdout as NodeJS.ReadableStream, 'data');
  expect(String(answer)).toBe('true');
  child.kill('SIGKILL');
  await once(child, 'exit');
  const files = await readdir(folder, { recursive: true });
  expect(files.length).toBeGreaterThan(1);
});
