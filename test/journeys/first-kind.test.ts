import { execFile } from 'node:child_process';
import { appendFile, chmod, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@chorus/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { root } from '../../scripts/setup/project.mjs';
import { BROWSER_START_MS, ConsoleBrowser } from './console/browser.ts';
import type { Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import type { PlatformProcess } from './platform-process.ts';

const run = promisify(execFile);
const KIND = 'iris.upscale';

interface Example {
  path: string;
  isNew: boolean;
  code: string;
}

let examples: Example[];
/** A copy of the repository. */
let copy: string;
let platform: Platform;
let browser: ConsoleBrowser;

/** Reads the new files and the index lines of the guide. */
async function readGuide(): Promise<Example[]> {
  const guide = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8');
  const section = /^## Your first job kind[^\n]*\n([\s\S]*?)^## /m.exec(guide)?.[1] ?? '';
  const blocks = section.matchAll(/(Create|Add a line to) `([^`]+)`:\n\n```ts\n([\s\S]*?)```\n/g);
  return [...blocks].map(([, verb, path = '', code = '']) => ({ path, code, isNew: verb === 'Create' }));
}

/** Copies the repository without the kind. The packages of other projects are linked. */
async function copyWithoutKind(): Promise<void> {
  const isCopied = (path: string) => !/\/(node_modules|dist)$|\.test\.ts$/.test(path);
  const folders = ['apps', 'packages', 'workers'];
  await Promise.all(
    [...folders, 'package.json'].map((name) =>
      cp(join(root, name), join(copy, name), { recursive: true, filter: isCopied }),
    ),
  );
  await mkdir(join(copy, 'node_modules'));
  const installed = await readdir(join(root, 'node_modules'));
  await Promise.all([
    ...installed
      .filter((name) => !name.startsWith('.') && name !== '@chorus')
      .map((name) => symlink(join(root, 'node_modules', name), join(copy, 'node_modules', name))),
    cp(join(root, 'node_modules/@chorus'), join(copy, 'node_modules/@chorus'), {
      recursive: true,
      verbatimSymlinks: true,
    }),
    symlink(join(root, 'apps/console/dist'), join(copy, 'apps/console/dist')),
    // Sandboxed processes run as another user.
    chmod(copy, 0o755),
  ]);
  for (const { path, isNew, code } of examples) {
    const file = join(copy, path);
    if (isNew) await rm(file);
    else await writeFile(file, (await readFile(file, 'utf8')).replace(code, ''));
  }
}

const listKinds = async (): Promise<string[]> => {
  const index = JSON.stringify(join(copy, 'packages/contract/src/index.ts'));
  const { stdout } = await run(process.execPath, [
    '--eval',
    `import(${index}).then(({ KINDS }) => console.log(Object.keys(KINDS).join()))`,
  ]);
  return stdout.trim().split(',');
};

beforeAll(async () => {
  [examples, copy] = await Promise.all([readGuide(), temporaryFolder('chk-')]);
  await copyWithoutKind();
  expect(await listKinds()).not.toContain(KIND);
  for (const { path, isNew, code } of examples)
    await (isNew ? writeFile(join(copy, path), code) : appendFile(join(copy, path), code));
  platform = await startPlatform({ root: copy, textWorkers: 0, background: 1 });
  browser = await ConsoleBrowser.start(String(platform.apis[0]?.url), platform.login);
}, BROWSER_START_MS);
afterAll(async () => {
  await browser?.close();
  await platform?.stop();
  await rm(copy, { recursive: true, force: true });
});
beforeEach(() => platform.showLogsOnFailure());

test('the guide shows the files and index lines of the repository: three of each', async () => {
  expect(examples.map(({ isNew }) => isNew)).toEqual([true, false, true, false, true, false]);
  for (const { path, isNew, code } of examples) {
    const content = await readFile(join(root, path), 'utf8');
    if (isNew) expect([path, content]).toEqual([path, code]);
    else expect([path, content.split(code).length, code.split('\n').length]).toEqual([path, 2, 2]);
  }
});

test('the kind of the guide runs over HTTP, in a batch of the CLI, and again; the console lists it', async () => {
  const { client } = platform;
  const [worker] = platform.background as [PlatformProcess];
  const picture = sharp({ create: { width: 30, height: 20, channels: 3, background: 'teal' } });
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(await picture.png().toBuffer())]), 'teal.png');
  const url = String(platform.apis[0]?.url);
  const headers = { authorization: `Bearer ${client.token}`, 'x-scope-type': 'personal' };
  const uploaded = await fetch(`${url}/api/v1/assets`, { method: 'POST', headers, body: form });
  const { id: asset_id } = (await uploaded.json()) as Payload;

  const { body: first } = await client.post('/iris/upscale', { asset_id, factor: 3 });
  expect(first).toMatchObject({ kind: KIND, status: 'succeeded', model: 'embedded/lanczos' });
  expect(first.output).toEqual([
    { type: 'asset', asset: expect.objectContaining({ mime_type: 'image/png', width: 90, height: 60 }) },
  ]);
  const { body: models } = await client.get('/models');
  expect(models.data.find(({ id }: Payload) => id === first.model).capabilities).toEqual(['upscale']);
  const { status, body: refused } = await client.post('/iris/upscale', { asset_id, factor: 5 });
  expect([status, refused.error.details[0].path]).toEqual([400, 'body.factor']);

  // A paused worker starts no job, so this one is cancelled while it waits.
  worker.signal('SIGSTOP');
  const { body: queued } = await client.post('/iris/upscale', { asset_id }, { headers: { prefer: 'respond-async' } });
  await client.post(`/jobs/${queued.id}/cancel`);
  worker.signal('SIGCONT');
  const { body: retried } = await client.post(`/jobs/${queued.id}/retry`);
  expect(retried).toMatchObject({ kind: KIND, status: 'succeeded', retry_of: queued.id });
  expect(retried.output[0].asset.width).toBe(60);

  const folder = await temporaryFolder('chk-');
  const { body: key } = await client.post('/api-keys', { name: 'guide' });
  const env = { PATH: process.env.PATH, CHORUS_URL: url, CHORUS_API_KEY: key.secret, XDG_CONFIG_HOME: folder };
  const chorus = async (...args: string[]) =>
    (await run(process.execPath, [join(copy, 'apps/cli/src/main.ts'), ...args], { cwd: folder, env })).stdout;
  await writeFile(join(folder, 'upscale.csv'), `asset_id,factor\n${asset_id},2\n${asset_id},4\n`);
  const [kinds, batch] = await Promise.all([chorus('kinds'), chorus('batch', 'upscale.csv', '--kind', KIND)]);
  expect(kinds).toMatch(/^iris\.upscale +Upscale +yes +POST \/api\/v1\/iris\/upscale +asset_id\* factor model/m);
  expect(batch).toContain('2 of 2 succeeded');
  await rm(folder, { recursive: true });

  const page = await browser.signedIn('/jobs');
  await page.getByRole('combobox', { name: 'Kind' }).click();
  await page.getByRole('option', { name: 'Upscale' }).click();
  const jobs = page.getByRole('list', { name: 'Jobs' }).getByRole('listitem');
  await expect.poll(() => jobs.count()).toBe(5);
  await jobs.first().getByText('Upscale ·').waitFor();
  await page.context().close();
});
