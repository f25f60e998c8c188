import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'chorus-build-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// The compiler has a core or two to itself elsewhere.
test('the client is built into a package that needs nothing of ours, and nothing of Node', { timeout: 180_000 }, () => {
  const built = join(folder, 'node_modules', '@chorus', 'client');
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build-client.mjs'), built]);
  const files = readdirSync(built, { recursive: true, encoding: 'utf8' });
  expect(files).toEqual(expect.arrayContaining(['index.js', 'index.d.ts', 'package.json', 'README.md', 'LICENSE']));
  expect(files.filter((file) => /test/.test(file))).toEqual([]);
  // TypeScript reads `./x.ts` in a declaration as `./x.d.ts`.
  const imported = new Set<string>();
  for (const file of files.filter((name) => /\.(js|d\.ts)$/.test(name)))
    for (const [, from = ''] of readFileSync(join(built, file), 'utf8').matchAll(/ from ['"]([^'"]+)['"]/g))
      imported.add(from.startsWith('.') ? from.replace(/.*(?=\.)/, '') : from);
  expect([...imported].sort()).toEqual(['.js', '.ts', 'eventsource-parser']);
  const { exports, dependencies } = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'));
  expect(exports['.']).toEqual({ types: './index.d.ts', default: './index.js' });
  expect(Object.keys(dependencies)).toEqual(['eventsource-parser']);

  const packed = execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: built, encoding: 'utf8' });
  const [{ files: sent }] = JSON.parse(packed) as [{ files: { path: string }[] }];
  expect(sent.length).toBe(files.filter((file) => /\.|LICENSE/.test(file)).length);
  const parser = join(ROOT, 'node_modules', 'eventsource-parser');
  symlinkSync(parser, join(folder, 'node_modules', 'eventsource-parser'));
  writeFileSync(
    join(folder, 'use.mjs'),
    "import { createClient } from '@chorus/client'; createClient().chat.stream({});",
  );
  execFileSync(process.execPath, [join(folder, 'use.mjs')]);
});
