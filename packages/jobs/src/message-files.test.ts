import { type ChatMessage, newId, type Owner } from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { createOutbound } from '@chorus/outbound';
import { expect, test } from 'vitest';
import type { JobServices } from './define-plan.ts';
import { checkMessageFiles } from './message-files.ts';

const owner: Owner = { scope: 'personal', user_id: newId('user'), workspace_id: null };
const assets: Record<string, Pick<AssetRecord, 'kind' | 'mime_type' | 'size_bytes'>> = {};
const stored = (kind: AssetRecord['kind'], mime_type: string, size_bytes = 100) => {
  const id = newId('asset');
  assets[id] = { kind, mime_type, size_bytes };
  return id;
};
const picture = stored('image', 'image/png');
const paper = stored('document', 'application/pdf');
const sound = stored('audio', 'audio/mpeg');
const long = stored('document', 'application/pdf', 20_000_000);
const unknown = newId('asset');

const outbound = createOutbound({ allow: [] });
const services = {
  outbound,
  database: { assets: { get: async (_owner: Owner, id: string) => assets[id] ?? null } },
} as unknown as JobServices;

type UserPart = Exclude<Extract<ChatMessage, { role: 'user' }>['content'], string>[number];
const image = (url: string): UserPart => ({ type: 'image_url', image_url: { url } });
const file = (file_id: string): UserPart => ({ type: 'file', file: { file_id } });
const audio = (data: string): UserPart => ({ type: 'input_audio', input_audio: { data, format: 'wav' } });

async function problems(content: UserPart[]) {
  const messages = [
    { role: 'system' as const, content: 'Look.' },
    { role: 'user' as const, content },
  ];
  try {
    await checkMessageFiles(services, { owner, path: 'body' }, messages);
  } catch (error) {
    return (error as { details: { path: string; message: string }[] }).details.map(({ path, message }) => [
      path,
      message,
    ]);
  }
  return [];
}

test('accepts stored files by either id, and inline content', async () => {
  const asFile = paper.replace('ast_', 'file-');
  expect(await problems([image(picture), file(paper), file(asFile), audio(sound)])).toEqual([]);
  expect(
    await problems([image('data:image/png;base64,AA'), image('https://example.com/a.png'), audio('AAAA')]),
  ).toEqual([]);
});

test.each<[string, UserPart, string, string]>([
  ['an unknown asset', file(unknown), 'file.file_id', 'is not an asset of this scope'],
  ["another provider's file", file('file-abc123'), 'file.file_id', 'is not an asset of this scope'],
  ['a document as an image', image(paper), 'image_url.url', 'must be an image, but it is application/pdf'],
  ['an image as audio', audio(picture), 'input_audio.data', 'must be WAV or MP3 audio, but it is image/png'],
])('refuses %s, with its place', async (_name, part, field, message) => {
  expect(await problems([{ type: 'text', text: 'Look' }, part])).toEqual([
    [`body.messages.1.content.1.${field}`, message],
  ]);
});

test('bounds the files of a request', async () => {
  expect(await problems(Array.from({ length: 33 }, () => file(paper)))).toEqual([
    ['body.messages', 'may name at most 32 files'],
  ]);
  expect(await problems([file(long), file(long)])).toEqual([
    ['body.messages', 'may name files of at most 32000000 bytes'],
  ]);
});

test.each([
  'http://169.254.169.254/latest/meta-data/',
  'http://127.0.0.2/',
  'HTTP://127.0.0.1/',
  ' http://127.0.0.1/',
  'http:\\\\127.0.0.1\\x',
  'http:/127.0.0.1/',
  'http:127.0.0.1',
  'ht\ntp://127.0.0.1/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://127.1/',
  'http://①②⑦.0.0.1/',
  'http://127。0。0。1/',
  'http://%31%32%37.0.0.1/',
  'http://0/',
  'http://10.0.0.1:8080/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[fe80::1]/',
  'http://[fd00:ec2::254]/',
  'http://user:pass@example.com/a.png',
  'https://example.com:6667/a.png',
  'file:///etc/passwd',
  'ftp://127.0.0.1/a.png',
  'gopher://127.0.0.1/',
  'blob:http://127.0.0.1/1',
  '//127.0.0.1/a.png',
  '127.0.0.1/a.png',
])('refuses the URL %j of an image, with its place', async (url) => {
  expect(await problems([image('https://example.com/a.png'), image(url)])).toEqual([
    ['body.messages.1.content.1.image_url.url', expect.stringMatching(/^The URL must/)],
  ]);
});
