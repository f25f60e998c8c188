import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fillCompileCache } from './compile-cache.mjs';

/** Notes its environment, and is ready until it is stopped. */
const SUPERVISOR = `
import { writeFileSync } from 'node:fs';
writeFileSync(import.meta.dirname + '/environment.json', JSON.stringify(process.env));
process.on('SIGTERM', () => process.exit(0));
setInterval(() => {}, 1_000);
console.log('Chorus is ready (0.1 s)');
`;

test('starts the platform once, without the settings of the user', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chorus-setup-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const main = join(folder, 'main.mjs');
  const noted = join(folder, 'environment.json');
  const fill = () => fillCompileCache(process.execPath, String(process.env.PATH), main);
  writeFileSync(main, SUPERVISOR);
  vi.stubEnv('NODE_COMPILE_CACHE', join(folder, 'cache'));
  vi.stubEnv('OPENAI_API_KEY', 'secret');
  vi.stubEnv('MONGODB_URI', 'mongodb://elsewhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  await fill();
  const { DATA_DIR, ...others } = JSON.parse(readFileSync(noted, 'utf8'));
  expect(others).not.toHaveProperty('OPENAI_API_KEY');
  expect(others).not.toHaveProperty('MONGODB_URI');
  expect(existsSync(DATA_DIR)).toBe(false);
  rmSync(noted);
  await fill();
  expect(existsSync(noted)).toBe(false);
});
