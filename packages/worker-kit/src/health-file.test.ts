import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@chorus/runtime/log';
import { expect, onTestFinished, test } from 'vitest';
import { keepHealthFile } from './health-file.ts';

const log = createLogger({ name: 'test', level: 'silent' });

test('the health file exists while the process runs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chorus-health-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'healthy');
  const remove = await keepHealthFile(file, log);
  expect(existsSync(file)).toBe(true);
  await remove();
  expect(existsSync(file)).toBe(false);
});

test('a health file that cannot be written stops nothing', async () => {
  const remove = await keepHealthFile('/proc/none/healthy', log);
  await remove();
});
