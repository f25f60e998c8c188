import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '@chorus/contract';
import { createSpeechEncoder, SoundDecoder } from '@chorus/speech';
import { fakeVoice, keptPlace } from '@chorus/testing';
import { afterAll, expect, test } from 'vitest';
import { isSound, type SoundParts, transcribeSound } from './transcribe-sound.ts';

const decoder = new SoundDecoder();
const folder = await mkdtemp(join(tmpdir(), 'chorus-transcribe-'));
afterAll(async () => {
  decoder.close();
  await rm(folder, { recursive: true, force: true });
});

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, cost_usd: 1 };
const silence = (seconds: number) => Buffer.alloc(seconds * 48_000);

/** A recording, and a model that transcribes each call as a number. `dieAt` ends the attempt at this second. */
async function recording(pcm: Uint8Array) {
  const encoder = createSpeechEncoder('wav');
  await encoder.push(pcm);
  const body = (await encoder.end()).file;
  const path = join(folder, newId('asset'));
  await writeFile(path, body);
  const source = { path, sizeBytes: (await stat(path)).size };
  const stored: { number: number; text: string }[] = [];
  let heard = 0;
  const providers = {
    models: () => [{ id: 'fake/ear', capabilities: ['transcription'] }],
    transcribe: async () => {
      heard += 1;
      return { text: `Words number ${heard}.`, language: 'en', segments: [], words: [], usage };
    },
  } as unknown as SoundParts['providers'];
  const transcribe = async (dieAt = Number.POSITIVE_INFINITY) => {
    const gone = new AbortController();
    const options = {
      owner: { scope: 'personal', user_id: newId('user'), workspace_id: null },
      caller: { executionId: newId('job'), user: 'ada', isBatch: false },
      signal: gone.signal,
      files: { pages: async () => stored, putPages: async (pages: typeof stored) => void stored.push(...pages) },
      place: keptPlace,
      onProgress: (second: number) => second >= dieAt && gone.abort(new Error('died')),
      onUsage: async () => undefined,
      partMs: 4_000,
    } as unknown as Parameters<typeof transcribeSound>[2];
    return transcribeSound({ decoder, providers, transcriptionModel: null }, source, options).finally(() =>
      rm(`${path}.pcm`, { force: true }),
    );
  };
  return { transcribe, heard: () => heard };
}

test('transcribes a recording part by part, and after a crash only what is missing', async () => {
  const { transcribe, heard } = await recording(Buffer.concat([fakeVoice(1), silence(4), fakeVoice(1)]));
  await expect(transcribe(3)).rejects.toThrow('died');
  expect(heard()).toBe(1);
  const { blocks } = await transcribe();
  expect(heard()).toBe(2);
  expect(blocks.map(({ type, text }) => [type, text])).toEqual([
    ['heading', 'From 0:00'],
    ['paragraph', 'Words number 1.'],
    ['heading', expect.stringMatching(/^From 0:0[34]$/)],
    ['paragraph', 'Words number 2.'],
  ]);
});

test('refuses a recording without speech', async () => {
  const { transcribe } = await recording(silence(1));
  await expect(transcribe()).rejects.toThrow('The audio contains no speech.');
});

test('takes audio and videos', () => {
  const types = ['audio/wav', 'video/mp4', 'image/png', 'application/pdf'];
  expect(types.map((mimeType) => isSound({ mimeType }))).toEqual([true, true, false, false]);
});
