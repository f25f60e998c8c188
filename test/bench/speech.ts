import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PCM16, PROVIDERS, type ProviderName, SPEECH_RATE } from '@chorus/contract';
import { createProviders, type Providers } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { toPcm16 } from '../../packages/embedded-models/src/speech/pcm16.ts';
import { childMemory, childrenCpuS } from './child-usage.ts';
import { editDistance, wordErrorRate, wordsOf } from './error-rates.ts';
import { heading, median, report } from './report.ts';
import { languages } from './speech/languages.ts';
import { readWav } from './speech/read-wav.ts';
import { roundTrip, spokenWords } from './speech/round-trip.ts';
import { SENTENCES } from './speech/sentences.ts';
import { spokenTurns } from './speech/spoken-turns.ts';

const LISTENERS = ['embedded/moonshine', 'embedded/moonshine-tiny'];
/** Target for the better listener's word error rate. */
const SPEAKERS = [
  { model: 'embedded/kokoro', aim: 'aim under 3%' },
  { model: 'embedded/flite', aim: 'aim under 6%' },
];
const options = { signal: new AbortController().signal, executionId: 'bench' };

/**
 * Measures accuracy and speed of the embedded speech models, with recordings and with synthesized speech.
 *
 * @param clips `file.wav=transcript`
 * @param folder recordings by language, if any
 */
export async function speech(clips: readonly string[], folder: string | null = null): Promise<void> {
  const providers = await embeddedProviders();
  heading('Speech, embedded models');
  const spoken = new Map<string, Uint8Array[]>();
  for (const { model } of SPEAKERS) spoken.set(model, await synthesizeAll(providers, model));
  await compareBare(providers);
  for (const listener of LISTENERS) {
    for (const { model, aim } of SPEAKERS)
      await transcribeAll(providers, listener, model, spoken.get(model)!, listener === LISTENERS[0] ? aim : '');
    for (const clip of clips) await transcribeClip(providers, listener, clip);
  }
  await roundTrip(providers);
  if (folder !== null) await languages(providers, folder);
  await liveLatency(providers, spoken.get('embedded/kokoro')!);
  await spokenTurns(providers, spoken.get('embedded/kokoro')!.slice(0, 8));
  heading('Memory of the engines');
  for (const [program, megabytes] of childMemory()) report(`peak memory of ${program} (MB)`, megabytes.toFixed(0));
  providers.close();
}

/**
 * Measures word error rates: of hard sentences synthesized here, and of recordings.
 *
 * @param clips `file.wav=transcript`; those that do not exist are skipped
 */
export async function listening(clips: readonly string[] = []): Promise<void> {
  const providers = await embeddedProviders();
  await roundTrip(providers);
  heading('Recordings of people');
  const present = clips.filter((clip) => existsSync(clip.split('=', 1)[0]!));
  if (present.length === 0) console.log('  skipped: no recordings were given');
  for (const clip of present) await transcribeClip(providers, 'embedded/moonshine', clip);
  providers.close();
}

async function embeddedProviders(): Promise<Providers> {
  const off = Object.fromEntries(PROVIDERS.map((name) => [name, { apiKey: null, baseUrl: null }]));
  const log = createLogger({ name: 'bench', level: 'silent' });
  const providers = createProviders(off as Record<ProviderName, { apiKey: null; baseUrl: null }>, { log });
  await providers.ready();
  return providers;
}

const secondsOf = (pcm16: Uint8Array) => pcm16.length / 2 / SPEECH_RATE;
const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Measures CPU time where available, otherwise elapsed time. */
async function measured<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const [before, startedAt] = [childrenCpuS(), performance.now()];
  const result = await work();
  const after = childrenCpuS();
  return {
    result,
    seconds: before === null || after === null ? (performance.now() - startedAt) / 1_000 : after - before,
  };
}

async function synthesizeAll(providers: Providers, model: string): Promise<Uint8Array[]> {
  await providers.generateSpeech({ model, text: 'Hello.' }, options); // loads the model
  const firsts: number[] = [];
  const { result, seconds } = await measured(async () => {
    const sounds: Uint8Array[] = [];
    for (const text of SENTENCES) {
      const startedAt = performance.now();
      const pieces: Uint8Array[] = [];
      for await (const piece of providers.streamSpeech({ model, text }, options)) {
        if (pieces.length === 0) firsts.push(performance.now() - startedAt);
        pieces.push(piece);
      }
      sounds.push(Buffer.concat(pieces));
    }
    return sounds;
  });
  const sound = sum(result.map(secondsOf));
  report(`${model}: CPU per second of audio (s)`, (seconds / sound).toFixed(3));
  report(`${model}: time to first audio of a sentence (ms, median)`, median(firsts).toFixed(0));
  return result;
}

/** Measures the overhead of the engine around the model. */
async function compareBare(providers: Providers): Promise<void> {
  const texts = SENTENCES.slice(0, 6);
  const voice = 'am_michael'; // a new process with nothing cached
  const program = fileURLToPath(new URL('speech/bare-kokoro.ts', import.meta.url));
  const { seconds } = await measured(async () => {
    for (const text of texts) await providers.generateSpeech({ model: 'embedded/kokoro', text, voice }, options);
  });
  const { stdout } = await promisify(execFile)(process.execPath, [program, voice, JSON.stringify(texts)]);
  report('embedded/kokoro: speed relative to the bare model', (Number(stdout) / seconds).toFixed(2), 'aim over 0.95');
}

async function transcribeAll(
  providers: Providers,
  listener: string,
  speaker: string,
  sounds: readonly Uint8Array[],
  aim: string,
): Promise<void> {
  const { result, seconds } = await measured(async () => {
    const texts: string[] = [];
    for (const audio of sounds)
      texts.push((await providers.transcribe({ model: listener, audio, mediaType: PCM16 }, options)).text);
    return texts;
  });
  const words = SENTENCES.map((text) => wordsOf(text).length);
  const wrong = sum(result.map((heard, at) => wordErrorRate(heard, SENTENCES[at]!) * words[at]!));
  report(`${speaker}, transcribed by ${listener}: word error rate`, percent(wrong / sum(words)), aim);
  report(`${listener}: CPU per second of audio (s)`, (seconds / sum(sounds.map(secondsOf))).toFixed(3));
  for (const [at, heard] of result.entries())
    if (wordErrorRate(heard, SENTENCES[at]!) > 0) console.log(`    ${SENTENCES[at]}\n    → ${heard}`);
}

async function transcribeClip(providers: Providers, listener: string, clip: string): Promise<void> {
  const [file = '', ...said] = clip.split('=');
  const audio = toPcm16(readWav(file, SPEECH_RATE));
  const { result, seconds } = await measured(() =>
    providers.transcribe({ model: listener, audio, mediaType: PCM16 }, options),
  );
  const [heard, wanted] = [spokenWords(result.text), spokenWords(said.join('='))];
  const rate = editDistance(heard, wanted) / wanted.length;
  report(`${file.split('/').at(-1)}, transcribed by ${listener}: word error rate`, percent(rate), 'aim under 5%');
  report(`${listener}: CPU per second of audio (s)`, (seconds / secondsOf(audio)).toFixed(3));
}

/** Measures how soon a live transcription is complete after the audio ends. */
async function liveLatency(providers: Providers, sounds: readonly Uint8Array[]): Promise<void> {
  const waits: number[] = [];
  for (const sound of sounds.slice(0, 4)) {
    const transcription = providers.openTranscription({ model: 'embedded/moonshine' }, options);
    // Half a second of silence ends the utterance.
    const padded = Buffer.concat([sound, new Uint8Array(SPEECH_RATE)]);
    const step = SPEECH_RATE / 5;
    for (let at = 0; at < padded.length; at += step) {
      transcription.push(padded.subarray(at, at + step));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const startedAt = performance.now();
    await transcription.end();
    waits.push(performance.now() - startedAt);
  }
  report('transcript of a sentence, after half a second of silence (ms)', median(waits).toFixed(0), 'aim under 100');
}
