import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fillCompileCache, findChildren } from './compile-cache.mjs';

/** Records its environment, and reports ready until it is stopped. */
const SUPERVISOR = `
import { writeFileSync } from 'node:fs';
writeFileSync(import.meta.dirname + '/environment.json', JSON.stringify(process.env));
process.on('SIGTERM', () => process.exit(0));
setInterval(() => {}, 1_000);
console.log('Chorus is ready (0.1 s)');
`;

test('starts the platform and its children once, without the settings of the user', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chorus-setup-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const main = join(folder, 'main.mjs');
  const noted = join(folder, 'environment.json');
  const child = join(folder, 'child.ts');
  const fill = () => fillCompileCache(process.execPath, String(process.env.PATH), main, [child]);
  writeFileSync(child, 'export const answer: number = 42;');
  writeFileSync(main, SUPERVISOR);
  const cache = join(folder, 'cache');
  vi.stubEnv('NODE_COMPILE_CACHE', cache);
  vi.stubEnv('OPENAI_API_KEY', 'secret');
  vi.stubEnv('MONGODB_URI', 'mongodb://elsewhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  await fill();
  const { DATA_DIR, ...others } = JSON.parse(readFileSync(noted, 'utf8'));
  expect(others).not.toHaveProperty('OPENAI_API_KEY');
  expect(others).not.toHaveProperty('MONGODB_URI');
  expect(existsSync(DATA_DIR)).toBe(false);
  const compiled = readdirSync(cache, { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(cache, name)));
  expect(compiled.filter((entry) => entry.isFile() && entry.size > 0).map(({ mode }) => mode & 0o777)).toContain(0o644);
  rmSync(noted);
  await fill();
  expect(existsSync(noted)).toBe(false);
});

test('knows the programs that open untrusted files', () => {
  const names = findChildren().map((path) => basename(path));
  expect(names).toEqual(expect.arrayContaining(['c2pa-main.ts', 'parser-main.ts', 'sound-main.ts']));
});
