import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AssetStore, createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import { type ChatMessage, newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { createOutbound } from '@chorus/outbound';
import { createLogger } from '@chorus/runtime/log';
import { sharedStore, type TestDatabases, TINY_PNG } from '@chorus/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FileParts, resolveFiles } from './resolve-files.ts';
import { createWebImages } from './web-images.ts';

const log = createLogger({ name: 'test', level: 'silent' });
const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };

let store: TestDatabases;
let database: Database;
let folder: string;
let assets: AssetStore;

beforeAll(async () => {
  [store, folder] = await Promise.all([sharedStore(), mkdtemp(join(tmpdir(), 'chorus-files-'))]);
  database = await connectDatabase({ uri: store.uri, log });
  assets = createAssets({ database, blobs: createBlobs({ kind: 'files', folder }, log), log });
});
afterAll(async () => {
  await database.close();
  await Promise.all([store.stop(), rm(folder, { recursive: true, force: true })]);
});

const parts = (more: Partial<FileParts> = {}): FileParts => ({
  assets,
  owner,
  passesUrls: false,
  signal: new AbortController().signal,
  ...more,
});

const user = (content: Extract<ChatMessage, { role: 'user' }>['content']): ChatMessage => ({ role: 'user', content });

/** The header of mono pcm16 at 24 kHz. */
function wavHeader(bytes: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + bytes, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(24_000, 24);
  header.writeUInt32LE(48_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(bytes, 40);
  return header;
}

test('replaces ids by content: images scaled down, other files whole', async () => {
  const picture = await assets.create({ owner, body: TINY_PNG, filename: null });
  const text = Buffer.from('Some text, which is long enough.');
  const paper = await assets.create({ owner, body: text, filename: 'notes.txt' });
  const given: ChatMessage[] = [
    { role: 'system', content: 'Look.' },
    user([
      { type: 'text', text: 'Here:' },
      { type: 'image_url', image_url: { url: picture.id, detail: 'low' } },
      { type: 'file', file: { file_id: paper.id.replace('ast_', 'file-') } },
      { type: 'file', file: { file_data: 'data:text/plain,x' } },
    ]),
  ];
  const before = structuredClone(given);
  const [, shown] = await resolveFiles(parts(), given);
  expect(shown?.content).toEqual([
    { type: 'text', text: 'Here:' },
    { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/jpeg;base64,\/9j\//), detail: 'low' } },
    { type: 'file', file: { file_data: `data:text/plain;base64,${text.toString('base64')}`, filename: 'notes.txt' } },
    { type: 'file', file: { file_data: 'data:text/plain,x' } },
  ]);
  expect(given).toEqual(before);
});

test('sends audio in its own format', async () => {
  const pcm = Buffer.alloc(480);
  const body = Buffer.concat([wavHeader(pcm.length), pcm]);
  const sound = await assets.create({ owner, body, filename: null });
  const [message] = await resolveFiles(parts(), [
    user([{ type: 'input_audio', input_audio: { data: sound.id, format: 'mp3' } }]),
  ]);
  expect(message?.content).toEqual([
    { type: 'input_audio', input_audio: { data: body.toString('base64'), format: 'wav' } },
  ]);
});

test.each([
  ['was deleted', async (id: string) => void (await assets.remove(owner, id))],
  ['belongs to someone else', async () => undefined],
])('fails for a file that %s, with its place', async (why, change) => {
  const of = why === 'was deleted' ? owner : { ...owner, user_id: newId('user') };
  const { id } = await assets.create({ owner: of, body: TINY_PNG, filename: null });
  await change(id);
  await expect(resolveFiles(parts(), [user([{ type: 'image_url', image_url: { url: id } }])])).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'messages.0.content.0.image_url.url: the file has been deleted',
  });
});

test('returns messages without files as they are', async () => {
  const messages = [user('ast_ is a prefix'), user([{ type: 'text', text: 'Hi' }])];
  expect(await resolveFiles(parts(), messages)).toBe(messages);
});

const imageAt = (url: string) => user([{ type: 'image_url', image_url: { url, detail: 'low' } }]);

/** Serves a picture, a page, and a redirect to a private address. */
async function startSite() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/to-private') return void response.writeHead(302, { location: 'http://127.0.0.3/' }).end();
    response.end(request.url === '/picture.png' ? TINY_PNG : '<p>secret</p>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
const webImages = createWebImages(
  createOutbound({ allow: [{ address: '127.0.0.1', prefix: 32, family: 'ipv4' }], limits: { connectMs: 60_000 } }),
);

test('downloads images for servers that are not those of a provider', async () => {
  await using site = await startSite();
  const [message] = await resolveFiles(parts({ webImages }), [imageAt(`${site.url}/picture.png`)]);
  expect(message?.content).toEqual([
    { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/jpeg;base64,\/9j\//), detail: 'low' } },
  ]);
  expect(site.asked).toEqual(['/picture.png']);
});

test.each([
  ['no image', '/page', 'invalid_request', 'The URL does not lead to an image that can be read.'],
  [
    'a redirect to a private address',
    '/to-private',
    'url_not_allowed',
    'The URL must name a host with a public address.',
  ],
])('refuses %s, with its place', async (_what, path, code, message) => {
  await using site = await startSite();
  await expect(resolveFiles(parts({ webImages }), [imageAt(site.url + path)])).rejects.toMatchObject({
    code,
    message: `messages.0.content.0.image_url.url: ${message}`,
  });
});

test('passes URLs of images on to a provider once their hosts are checked', async () => {
  const lookup = async (name: string) =>
    name === 'public.test'
      ? [{ address: '93.184.216.34', family: 4 }]
      : [
          { address: '93.184.216.34', family: 4 },
          { address: '127.0.0.1', family: 4 },
        ];
  const checked = parts({ passesUrls: true, webImages: createWebImages(createOutbound({ allow: [], lookup })) });
  const messages = [imageAt('https://public.test/a.png'), imageAt('https://public.test/b.png')];
  expect(await resolveFiles(checked, messages)).toEqual(messages);
  await expect(resolveFiles(checked, [...messages, imageAt('https://rebinding.test/a.png')])).rejects.toMatchObject({
    code: 'url_not_allowed',
    message: 'messages.2.content.0.image_url.url: The URL must name a host with a public address.',
  });
});

test('refuses URLs of images where nothing can check them', async () => {
  for (const passesUrls of [true, false])
    await expect(resolveFiles(parts({ passesUrls }), [imageAt('https://public.test/a.png')])).rejects.toMatchObject({
      code: 'invalid_request',
    });
});
