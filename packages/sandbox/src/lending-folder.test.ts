import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@chorus/testing';
import { expect, test } from 'vitest';
import { lendingFolder, removeAbandoned } from './lending-folder.ts';

test('folders of killed processes are removed, and no others', async () => {
  const within = await temporaryFolder('chl-');
  const [kept = ''] = lendingFolder().split('/').slice(-1);
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1_000)'], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  const abandoned = kept.replace(`-${process.pid}-`, `-${child.pid}-`);
  for (const name of [kept, abandoned, 'chorus-lent-other']) {
    mkdirSync(join(within, name));
    writeFileSync(join(within, name, 'page.pdf'), 'secret');
  }
  await removeAbandoned(within);
  expect(existsSync(join(within, abandoned))).toBe(false);
  expect([kept, 'chorus-lent-other'].every((name) => existsSync(join(within, name)))).toBe(true);
  expect(existsSync(dirname(lendingFolder()))).toBe(true);
});
