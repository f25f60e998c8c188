import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';

test('logs and exits after its output was closed', async () => {
  const program = `
    const { createLogger } = await import(${JSON.stringify(new URL('index.ts', import.meta.url).href)});
    const log = createLogger({ name: 'test' });
    process.on('SIGTERM', () => {
      for (let line = 0; line < 100; line += 1) log.info({ line }, 'stopping');
      process.exit(0);
    });
    setInterval(() => {}, 1000);
    log.info('ready');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.stdout.destroy();
  await once(child.stdout, 'close');
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});
