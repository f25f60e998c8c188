import { CLIP_MP4, CLIP_WEBM } from '@chorus/testing';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { detectType } from './detect-type.ts';
import { type MediaSource, makePoster, probeVideo } from './probe-video.ts';

/** Serves a file's bytes and counts how many were requested. */
function sourceOf(bytes: Uint8Array): MediaSource & { given: number } {
  const source = {
    sizeBytes: bytes.length,
    given: 0,
    read: async (start: number, end: number) => {
      source.given += end - start;
      return bytes.subarray(start, end);
    },
  };
  return source;
}

function wav(): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF\0\0\0\0WAVEfmt ');
  header.writeUInt32LE(36 + 16_000, 4);
  for (const [value, at] of [
    [16, 16],
    [8_000, 24],
    [16_000, 28],
    [16_000, 40],
  ] as const)
    header.writeUInt32LE(value, at);
  for (const [value, at] of [
    [1, 20],
    [1, 22],
    [2, 32],
    [16, 34],
  ] as const)
    header.writeUInt16LE(value, at);
  header.write('data', 36);
  return Buffer.concat([header, Buffer.alloc(16_000)]);
}

test.each([
  ['a rotated video', CLIP_MP4, { width: 64, height: 96, duration_ms: 1_000 }, 'video/mp4'],
  ['a video', CLIP_WEBM, { width: 96, height: 64, duration_ms: 1_000 }, 'video/webm'],
  ['a sound', wav(), { width: null, height: null, duration_ms: 1_000 }, 'audio/wav'],
])('measures %s', async (_, bytes, facts, mimeType) => {
  expect(await probeVideo(sourceOf(bytes), 'personal:a')).toEqual(facts);
  expect((await detectType(bytes, true)).mime_type).toBe(mimeType);
});

test('creates an upright poster of the first frame', async () => {
  const clips = [
    [CLIP_WEBM, 96, 64],
    [CLIP_MP4, 64, 96],
  ] as const;
  for (const [clip, width, height] of clips) {
    const poster = await makePoster(sourceOf(clip), 'personal:a');
    const { data, info } = await sharp(poster ?? undefined)
      .raw()
      .toBuffer({ resolveWithObject: true });
    expect(info).toMatchObject({ width, height });
    const [red = 0, , blue = 0] = data;
    expect(red).toBeGreaterThan(180);
    expect(blue).toBeLessThan(80);
  }
  expect(await makePoster(sourceOf(wav()), 'personal:a')).toBeNull();
});

test('returns no measures for an unreadable file, without delay', async () => {
  const cut = CLIP_MP4.subarray(0, 600);
  const noise = Buffer.from(CLIP_MP4).fill(0xff, 700);
  const posters = [noise, cut].map((bytes) => makePoster(sourceOf(bytes), 'personal:a'));
  expect(await Promise.all([...posters, probeVideo(sourceOf(Buffer.from('not a video')), 'personal:a')])).toEqual([
    null,
    null,
    null,
  ]);
});

test('rejects a file that claims gigabytes of tables without reading them', async () => {
  // A `moov` box of 3 GB after the first box.
  const head = Buffer.concat([CLIP_MP4.subarray(0, CLIP_MP4.readUInt32BE(0)), Buffer.from('b2d05e006d6f6f76', 'hex')]);
  const source = { ...sourceOf(head), sizeBytes: 3_500_000_000 };
  let given = 0;
  source.read = async (start, end) => {
    given += end - start;
    const bytes = Buffer.alloc(end - start);
    if (start < head.length) head.copy(bytes, 0, start, end);
    return bytes;
  };
  expect(await probeVideo(source, 'personal:a')).toBeNull();
  expect(given).toBeLessThan(40_000_000);
});

test('reports errors of the source', async () => {
  const source = { sizeBytes: 100, read: () => Promise.reject(new Error('the store is down')) };
  await expect(probeVideo(source, 'personal:a')).rejects.toThrow('the store is down');
});
