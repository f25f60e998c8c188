import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBatchWorkers } from '../../../apps/api/src/test-batch-workers.ts';
import { publishModels } from '../../../apps/api/src/test-chat.ts';
import { startTestServer, type TestServer } from '../../../apps/api/src/test-server.ts';

const PACKAGE = new URL('..', import.meta.url);

let server: TestServer;
let workers: Awaited<ReturnType<typeof startBatchWorkers>>;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
  workers = await startBatchWorkers(server);
  await publishModels(server, 'media', { 'test/image': ['image'] });
  folder = await mkdtemp(join(tmpdir(), 'chorus-client-'));
});
afterAll(async () => {
  await workers?.stop();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

test('runs the examples of the README unchanged', async () => {
  const readme = await readFile(new URL('README.md', PACKAGE), 'utf8');
  const examples = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? '');
  expect(examples.length).toBe(7);
  const files = examples.map(async (code, index) => {
    const file = join(folder, `example-${index}.ts`);
    const here = code
      .replaceAll("'@chorus/client'", JSON.stringify(new URL('src/index.ts', PACKAGE).href))
      .replaceAll('https://chorus.example.org', server.url)
      .replaceAll("apiKey: 'chk_…'", `token: '${server.accessToken}'`);
    await writeFile(file, here);
    return `console.log('--- ${index}'); await import(${JSON.stringify(file)});`;
  });
  const main = join(folder, 'main.mjs');
  await writeFile(main, (await Promise.all(files)).join('\n'));
  const { stdout } = await promisify(execFile)(process.execPath, [main], { cwd: fileURLToPath(PACKAGE) });
  const said = stdout.split(/--- \d\n/).slice(1);
  expect(said[0]).toBe('1 2 3 ');
  expect(said[1]).toMatch(/starts over\n[\s\S]*succeeded\n$/);
  expect(said[2]).toBe('1 2 3 \n');
  expect(said[3]).toMatch(
    /^queued 0\n[\s\S]*succeeded 0\n[\s\S]*100%\ntext\/plain http:\/\/127\.0\.0\.1:\d+\/api\/v1\//,
  );
  expect(said[4]).toContain('moon succeeded');
  expect(said[4]).toContain('2 of 2');
  expect(said[5]).toBe('mill processing\n1 2 \n');
  expect(said[6]).toBe('reads true\n');
});
