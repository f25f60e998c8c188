import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@chorus/testing';
import { expect, test } from 'vitest';
import { root } from '../setup/project.mjs';
import { notedModules, notingModules } from './test-noted-modules.ts';

test('the settings check, for which a start waits, loads no request schemas', async () => {
  const folder = await temporaryFolder('chorus-settings-');
  const noted = join(folder, 'modules');
  const source = join(root, 'packages/runtime/src/config/settings-main.ts');
  await promisify(execFile)(process.execPath, [source], { env: { DATA_DIR: folder, ...notingModules(noted) } });
  const loaded = notedModules(noted).filter((url) => url.includes('/packages/contract/'));
  expect(loaded).not.toEqual([]);
  expect(loaded.filter((url) => !/\/contract\/src\/(names\/|errors\/|(owner|with-commas)\.ts$)/.test(url))).toEqual([]);
});
