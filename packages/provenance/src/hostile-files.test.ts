import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { CLIP_MP4 } from '@chorus/testing';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { C2paFailure, C2paProcess, MEMORY_BYTES } from './c2pa-process.ts';
import type { C2paAnswer, SignRequest } from './c2pa-protocol.ts';
import { issueCertificates } from './certificate/issue-certificates.ts';
import { manifestOf } from './manifest.ts';

const issued = issueCertificates();
const own = { authorities: [issued.authority], certificates: [] };
const identity = { ...issued, algorithm: 'es256' as const };
const TIME_MS = 20_000;

/** Bytes that are changed, one at a time. */
const CHANGES = process.env.CHORUS_SOAK ? 120 : 24;

let folder: string;
let c2pa: C2paProcess;
let png: Buffer;
let signed: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-hostile-'));
  c2pa = new C2paProcess({ memoryBytes: MEMORY_BYTES });
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  png = await sharp({ create: { width: 48, height: 48, channels: 3, background: '#888', noise } })
    .png()
    .toBuffer();
  signed = await sign(png, 'image/png');
});
afterAll(async () => {
  c2pa.close();
  await rm(folder, { recursive: true, force: true });
});

const newPath = () => join(folder, crypto.randomUUID());

async function signRequest(bytes: Uint8Array, mime: string): Promise<SignRequest> {
  const path = newPath();
  await writeFile(path, bytes);
  const facts = { execution_id: 'job', model: 'a/b', created_at: new Date(), procedural: true, perceptual_hash: null };
  return {
    type: 'sign',
    path,
    output: `${path}.signed`,
    mime,
    identity,
    manifest: manifestOf({ ...facts, mime }, '1'),
  };
}

async function sign(bytes: Uint8Array, mime: string): Promise<Buffer> {
  const request = await signRequest(bytes, mime);
  await c2pa.ask(request, TIME_MS);
  return readFile(request.output);
}

async function readClaims(path: string, mime: string, by = c2pa, timeoutMs = TIME_MS): Promise<string> {
  try {
    const answer: C2paAnswer = await by.ask({ type: 'read', path, mime, own }, timeoutMs);
    if (answer.type !== 'read') throw new Error('not read');
    return answer.claims === null ? 'none' : `${answer.claims.state}, ${answer.claims.ours ? 'ours' : 'not ours'}`;
  } catch (error) {
    if (error instanceof C2paFailure) return 'refused';
    throw error;
  }
}

async function read(bytes: Uint8Array, mime = 'image/png', by = c2pa, timeoutMs = TIME_MS): Promise<string> {
  const path = newPath();
  await writeFile(path, bytes);
  return readClaims(path, mime, by, timeoutMs);
}

function chunk(type: string, content: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}

const carrying = (record: Buffer) => Buffer.concat([png.subarray(0, 33), chunk('caBX', record), png.subarray(33)]);

/** JUMBF description box, which a record begins with. */
const DESCRIPTION = Buffer.from('000000266a756d646332706100110010800000aa00389b7103633270610000000000000000', 'hex');

function nested(depth: number): Buffer {
  const header = 8 + DESCRIPTION.length;
  const boxes = Buffer.alloc(depth * header);
  for (let at = 0; at < boxes.length; at += header) {
    boxes.writeUInt32BE(boxes.length - at, at);
    boxes.write('jumb', at + 4, 'latin1');
    DESCRIPTION.copy(boxes, at + 8);
  }
  return boxes;
}

function pixelBomb(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(20_000, 0);
  header.writeUInt32BE(20_000, 4);
  header.set([8, 2], 8);
  const data = chunk('IDAT', deflateSync(Buffer.alloc(1_000_000)));
  return Buffer.concat([png.subarray(0, 8), chunk('IHDR', header), data, chunk('IEND', Buffer.alloc(0))]);
}

test('responds to any file and keeps running', async () => {
  const entities = Array.from({ length: 12 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`);
  const files: [string, Buffer, string, string][] = [
    ['cut off', signed.subarray(0, signed.length - 500), 'image/png', 'refused'],
    [
      'an image that is also a page',
      Buffer.concat([signed, Buffer.from('<html><script>')]),
      'image/png',
      'altered, ours',
    ],
    ['of another type than declared', signed, 'image/jpeg', 'refused'],
    ['a record of zeros', carrying(Buffer.alloc(10_000_000)), 'image/png', 'refused'],
    ['a record of nested boxes', carrying(nested(30_000)), 'image/png', 'refused'],
    ['a signed pixel bomb', await sign(pixelBomb(), 'image/png'), 'image/png', 'intact, ours'],
    ['a video with false sizes', Buffer.from('0000001866747970', 'hex'), 'video/mp4', 'refused'],
    ['a video of empty boxes', Buffer.concat([CLIP_MP4, Buffer.alloc(1_000_000)]), 'video/mp4', 'none'],
    [
      'expanding entities',
      Buffer.from(
        `<!DOCTYPE s [<!ENTITY e0 "aaaa">${entities.join('')}]><svg xmlns="http://www.w3.org/2000/svg">&e12;</svg>`,
      ),
      'image/svg+xml',
      'none',
    ],
    [
      'a TIFF loop',
      Buffer.from('49492a0008000000010000010300010000000800000008000000', 'hex'),
      'image/tiff',
      'refused',
    ],
    ['a RIFF file without an end', Buffer.from('RIFF\xff\xff\xff\xffWEBPVP8 ', 'latin1'), 'image/webp', 'refused'],
    ['nothing', Buffer.alloc(0), 'image/png', 'refused'],
  ];
  for (const [name, bytes, mime, expected] of files) expect([name, await read(bytes, mime)]).toEqual([name, expected]);
  expect(await read(signed)).toBe('intact, ours');
});

test('detects a change of any byte of the image', async () => {
  const record = signed.indexOf('caBX') - 4;
  const end = record + 12 + signed.readUInt32BE(record);
  for (let step = 0; step < CHANGES; step++) {
    const at = Math.floor((step / CHANGES) * signed.length);
    const changed = Buffer.from(signed);
    changed[at] = (changed[at] as number) ^ (1 << (step % 8));
    const found = await read(changed);
    // Padding of the signature is not covered.
    if (at < record || at >= end) expect([at, found]).toEqual([at, expect.not.stringMatching(/^intact/)]);
  }
  expect(await read(signed)).toBe('intact, ours');
});

test('times out on a slow file without affecting others', async () => {
  const path = newPath();
  // 400 megabytes of boxes without a size, in a sparse file.
  await writeFile(path, await sign(CLIP_MP4, 'video/mp4'));
  await truncate(path, 400_000_000);
  const [slow, next] = await Promise.all([readClaims(path, 'video/mp4', c2pa, 100), read(signed)]);
  expect([slow, next]).toEqual(['refused', 'intact, ours']);
});

// Memory limits need Linux.
test.skipIf(process.platform !== 'linux')('survives a process that exceeds its memory', async () => {
  const small = new C2paProcess({ memoryBytes: 20_000_000 });
  expect(await read(signed, 'image/png', small)).toBe('refused');
  small.close();
});

test('rejects requests while closing', async () => {
  const ending = new C2paProcess({ memoryBytes: MEMORY_BYTES });
  const asked = Promise.all([read(signed, 'image/png', ending), read(signed, 'image/png', ending)]);
  await Promise.resolve();
  ending.close();
  expect(await asked).toEqual(['refused', 'refused']);
});
