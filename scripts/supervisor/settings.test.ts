import { join } from 'node:path';
import { temporaryFolder } from '@chorus/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { checkSettings } from './settings.ts';
import { notedModules, notingModules } from './test-noted-modules.ts';

test('the settings check, for which a start waits, loads no request schemas', async () => {
  const folder = await temporaryFolder('chorus-settings-');
  const noted = join(folder, 'modules');
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [name, value] of Object.entries(notingModules(noted))) vi.stubEnv(name, value);
  await checkSettings(folder);
  const loaded = notedModules(noted).filter((url) => url.includes('/packages/contract/'));
  expect(loaded).not.toEqual([]);
  expect(loaded.filter((url) => !/\/contract\/src\/(names\/|owner\.ts$)/.test(url))).toEqual([]);
});
