import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { startTestServer } from '../apps/api/src/test-server.ts';
import { startTestProxy } from '../packages/client/src/test-proxy.ts';
import { findOrInstallChromium } from './setup/chromium.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The compiler and the browser share the cores with other tests. */
const SLOW_MS = 300_000;
const folder = mkdtempSync(join(tmpdir(), 'chorus-build-'));
const built = join(folder, 'node_modules', '@chorus-platform', 'client');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('builds the client into a package without imports of ours or of Node', { timeout: SLOW_MS }, () => {
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
  const undocumented = files
    .filter((name) => /^resources\/.*\.d\.ts$/.test(name))
    .flatMap((file) => readFileSync(join(built, file), 'utf8').match(/(?<!\*\/)\n {4,12}\w+(: )?\(.*/g) ?? []);
  expect(undocumented).toEqual([]);
  const { name, exports, dependencies } = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'));
  expect(name).toBe('@chorus-platform/client');
  expect(exports['.']).toEqual({ types: './index.d.ts', default: './index.js' });
  expect(Object.keys(dependencies)).toEqual(['eventsource-parser']);

  const packed = execFileSync('npm', ['pack', '--dry-run', '--json'], { cwd: built, encoding: 'utf8' });
  const [{ files: sent }] = JSON.parse(packed) as [{ files: { path: string }[] }];
  expect(sent.length).toBe(files.filter((file) => /\.|LICENSE/.test(file)).length);
  const parser = join(ROOT, 'node_modules', 'eventsource-parser');
  symlinkSync(parser, join(folder, 'node_modules', 'eventsource-parser'));
  writeFileSync(
    join(folder, 'use.mjs'),
    "import { createClient } from '@chorus-platform/client'; createClient().chat.stream({});",
  );
  execFileSync(process.execPath, [join(folder, 'use.mjs')]);
});

/** The page into which the client is loaded. */
const PAGE = `<!doctype html><script type="importmap">
{"imports":{"@chorus/client":"/client/index.js","eventsource-parser":"/parser/index.js"}}</script>
<script type="module">import * as chorus from '@chorus/client'; globalThis.chorus = chorus;</script>`;
type InPage = { chorus: typeof import('../packages/client/src/index.ts') };

test('resumes streams and reports upload progress in a browser', {
  timeout: SLOW_MS,
}, async () => {
  const server = await startTestServer();
  const proxy = await startTestProxy(server.url);
  const executablePath = await findOrInstallChromium();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: SLOW_MS });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(SLOW_MS);
    await page.route(`${proxy.url}/page`, (route) => route.fulfill({ contentType: 'text/html', body: PAGE }));
    for (const [name, from] of [
      ['client', built],
      ['parser', join(ROOT, 'node_modules', 'eventsource-parser', 'dist')],
    ] as const)
      await page.route(`${proxy.url}/${name}/**`, (route) => {
        const path = join(from, new URL(route.request().url()).pathname.slice(`/${name}/`.length));
        return route.fulfill({ contentType: 'text/javascript', body: readFileSync(path, 'utf8') });
      });
    await page.goto(`${proxy.url}/page`);
    await page.waitForFunction('globalThis.chorus');
    proxy.cutAfter(6_000);
    const streamed = await page.evaluate(async (token) => {
      const { createClient } = (globalThis as unknown as InPage).chorus;
      const states: string[] = [];
      const onConnection = (state: string) => states.push(state);
      const stream = createClient({ token }).chat.stream({ message: 'count 80' }, { onConnection });
      const seqs: number[] = [];
      for await (const { seq } of stream) seqs.push(seq);
      return { text: stream.progress.text, seqs, states };
    }, server.accessToken);
    expect(streamed.text).toBe(Array.from({ length: 80 }, (_, index) => `${index + 1} `).join(''));
    expect(streamed.seqs).toEqual([...new Set(streamed.seqs)]);
    expect(streamed.states.filter((state) => state === 'open').length).toBeGreaterThan(1);

    proxy.cutAfter(null);
    const uploaded = await page.evaluate(async (token) => {
      const { ChorusError, createClient } = (globalThis as unknown as InPage).chorus;
      const client = createClient({ token });
      const reported: number[] = [];
      const file = new File([new Uint8Array(3_000_000)], 'zeros.bin');
      const asset = await client.assets.upload(file, { onProgress: ({ loaded }) => reported.push(loaded) });
      const refused = createClient({ token: 'none' }).assets.upload(file, { onProgress: () => undefined });
      const code = await refused.catch((error) => (error instanceof ChorusError ? error.code : String(error)));
      const signal = AbortSignal.abort(new Error('enough'));
      const stopped = await client.assets.upload(file, { signal, onProgress: () => undefined }).catch(String);
      return {
        name: asset.filename,
        size: asset.size_bytes,
        last: reported.at(-1),
        steps: reported.length,
        code,
        stopped,
      };
    }, server.accessToken);
    expect(uploaded).toMatchObject({ name: 'zeros.bin', size: 3_000_000, last: 3_000_000, code: 'unauthorized' });
    expect(uploaded.stopped).toBe('Error: enough');
    expect(uploaded.steps).toBeGreaterThan(0);
  } finally {
    await browser.close();
    proxy.stop();
    await server.stop();
  }
});
