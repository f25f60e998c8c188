import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeBaseline } from '@chorus/codecs/picture';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drawVideo, type VideoRequest } from './canvas-video.ts';
import { toPlanar } from './to-planar.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chorus-canvas-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let made = 0;
async function film(more: Partial<VideoRequest> = {}, signal = new AbortController().signal) {
  made += 1;
  const path = join(folder, `${made}.mp4`);
  const calls: [number, number][] = [];
  const call = {
    prompt: 'a bird over the sea',
    durationS: 1,
    fps: 10,
    seed: 1,
    size: { width: 64, height: 64 },
    ...more,
  };
  const video = await drawVideo(call, {
    path,
    signal,
    onFrame: (completed, total) => calls.push([completed, total]),
  });
  return { video, path, calls };
}

/** Decodes each frame as planes (I420), as a player would. */
async function framesOf(path: string) {
  const input = new Input({ source: new BufferSource(await readFile(path)), formats: ALL_FORMATS });
  const track = (await input.getPrimaryVideoTrack())!;
  const packets = new EncodedPacketSink(track);
  const config = (await track.getDecoderConfig())!;
  const bytes: Uint8Array[] = [];
  const times: number[] = [];
  for (let packet = await packets.getFirstPacket(); packet; packet = await packets.getNextPacket(packet)) {
    bytes.push(packet.data);
    times.push(packet.timestamp);
  }
  const frames = (await decodeBaseline(config.description as Uint8Array, bytes)).map(({ data }) => data);
  const [codec, seconds, width, height, colors] = await Promise.all([
    track.getCodecParameterString(),
    input.computeDuration(),
    track.getDisplayWidth(),
    track.getDisplayHeight(),
    track.getColorSpace(),
  ]);
  return { frames, times, codec, seconds, width, height, colors };
}

const differing = (one: Uint8Array, other: Uint8Array) =>
  one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] as number)), 0) / one.length;

test('makes a playable MP4 of the right size and length, with moving frames', async () => {
  const { video, path, calls } = await film();
  expect(video).toMatchObject({
    width: 64,
    height: 64,
    durationMs: 1_000,
    fps: 10,
    mediaType: 'video/mp4',
    warnings: [],
  });
  const { frames, times, codec, seconds, width, height, colors } = await framesOf(path);
  expect([frames.length, seconds, width, height]).toEqual([10, 1, 64, 64]);
  expect(codec).toMatch(/^avc1/);
  expect(colors).toMatchObject({ matrix: 'bt709', fullRange: false });
  expect(times.map((time) => Math.round(time * 10))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(calls).toEqual(Array.from({ length: 10 }, (_, index) => [index + 1, 10]));
  for (let at = 1; at < frames.length; at += 1) expect(differing(frames[at - 1]!, frames[at]!)).toBeGreaterThan(0.05);
  // The poster is the first frame.
  const poster = await sharp(video.poster).ensureAlpha().raw().toBuffer();
  expect(differing(toPlanar(poster, 64, 64), frames[0]!)).toBeLessThan(6);
});

test('makes the same video for the same request', async () => {
  const [one, other] = await Promise.all([film({ durationS: 0.5 }), film({ durationS: 0.5 })]);
  const [first, second] = await Promise.all([framesOf(one.path), framesOf(other.path)]);
  expect(first.frames.every((frame, at) => differing(frame, second.frames[at]!) === 0)).toBe(true);
});

test('starts with a given image', async () => {
  const bytes = await sharp({ create: { width: 40, height: 80, channels: 3, background: '#20a040' } })
    .png()
    .toBuffer();
  const { path } = await film({
    image: { bytes },
    durationS: 1.5,
    prompt: 'a large red balloon in the center, rain',
  });
  const { frames } = await framesOf(path);
  const given = toPlanar(new Uint8Array([0, 1, 2, 3].flatMap(() => [0x20, 0xa0, 0x40, 255])), 2, 2);
  const [size, place, half] = [64 * 64, 20 * 64 + 10, 10 * 32 + 5];
  const shown = [frames[0]![place], frames[0]![size + half], frames[0]![size + size / 4 + half]] as number[];
  const off = shown.map((value, at) => Math.abs(value - [given[0], given[4], given[5]][at]!));
  expect(Math.max(...off), String(shown)).toBeLessThan(12);
  expect(differing(frames[0]!, frames.at(-1)!)).toBeGreaterThan(2);
});

test('makes odd sides even, with a warning', async () => {
  const { video, path } = await film({ size: { width: 67, height: 65 }, durationS: 0.2 });
  expect(video).toMatchObject({ width: 66, height: 64, warnings: [expect.stringContaining('66 x 64')] });
  expect(await framesOf(path)).toMatchObject({ width: 66, height: 64 });
});

test.each([
  ['too long', { durationS: 61 }],
  ['too large', { size: { width: 4_096, height: 4_096 } }],
  ['too much in all', { durationS: 60, fps: 60, size: { width: 4_096, height: 2_304 } }],
])('refuses before it starts: %s', async (_name, more) => {
  await expect(film(more)).rejects.toMatchObject({ code: 'invalid_request' });
});

test('throws the reason of an abort', async () => {
  const controller = new AbortController();
  const reason = new Error('cancelled');
  const path = join(folder, 'aborted.mp4');
  const call = { prompt: 'the sea', durationS: 60, fps: 30, size: { width: 64, height: 64 } };
  const onFrame = (completed: number) => completed === 3 && controller.abort(reason);
  await expect(drawVideo(call, { path, signal: controller.signal, onFrame })).rejects.toBe(reason);
});

test('fails if the file cannot be written', async () => {
  const call = { prompt: 'the sea', durationS: 0.5, size: { width: 64, height: 64 } };
  const options = {
    path: join(folder, 'none', 'x.mp4'),
    signal: new AbortController().signal,
  };
  await expect(drawVideo(call, options)).rejects.toMatchObject({ code: 'render_failed' });
});

test('converts colors for video', () => {
  const planesOf = (red: number, green: number, blue: number) => {
    const planar = toPlanar(new Uint8Array([0, 1, 2, 3].flatMap(() => [red, green, blue, 255])), 2, 2);
    return [planar[0], planar[4], planar[5]];
  };
  // Values from the tables of BT.709.
  expect(planesOf(255, 255, 255)).toEqual([235, 128, 128]);
  expect(planesOf(0, 0, 0)).toEqual([16, 128, 128]);
  expect(planesOf(255, 0, 0)).toEqual([63, 102, 240]);
  expect(planesOf(0, 255, 0)).toEqual([173, 42, 26]);
  expect(planesOf(0, 0, 255)).toEqual([32, 240, 118]);
});
