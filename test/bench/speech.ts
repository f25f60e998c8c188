import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PROVIDERS, type ProviderName } from '@chorus/contract';
import { createLogger } from '@chorus/log';
import { createProviders, PCM16, type Providers, SPEECH_RATE } from '@chorus/providers';
import { toPcm16 } from '../../packages/providers/src/embedded/speech/pcm16.ts';
import { heading, median, report } from './figures.ts';
import { childrenCpuS } from './ocr/children-cpu.ts';
import { childMemory } from './speech/child-memory.ts';
import { readWav } from './speech/read-wav.ts';
import { SENTENCES } from './speech/sentences.ts';
import { spokenTurns } from './speech/spoken-turns.ts';
import { wordErrorRate, wordsOf } from './speech/word-error-rate.ts';

const LISTENERS = ['embedded/moonshine', 'embedded/moonshine-tiny'];
/** How many of the words that they speak may be taken for others by the better of the listeners. */
const SPEAKERS = [
  { model: 'embedded/kokoro', aim: 'aim under 3%' },
  { model: 'embedded/flite', aim: 'aim under 6%' },
];
const options = { signal: new AbortController().signal, executionId: 'bench' };

/**
 * How well and how fast the embedded models listen and speak: people's recordings, and texts that are spoken, heard and compared.
 * @param clips `file.wav=what is said in it`
 */
export async function speech(clips: readonly string[]): Promise<void> {
  const off = Object.fromEntries(PROVIDERS.map((name) => [name, { apiKey: null, baseUrl: null }]));
  const log = createLogger({ name: 'bench', level: 'silent' });
  const providers = createProviders(off as Record<ProviderName, { apiKey: null; baseUrl: null }>, { log });
  await providers.ready();
  heading('Speech, by the embedded models');
  const spoken = new Map<string, Uint8Array[]>();
  for (const { model } of SPEAKERS) spoken.set(model, await speakAll(providers, model));
  await compareBare(providers);
  for (const listener of LISTENERS) {
    for (const { model, aim } of SPEAKERS)
      await hearAll(providers, listener, model, spoken.get(model)!, listener === LISTENERS[0] ? aim : '');
    for (const clip of clips) await hearClip(providers, listener, clip);
  }
  await live(providers, spoken.get('embedded/kokoro')!);
  await spokenTurns(providers, spoken.get('embedded/kokoro')!.slice(0, 8));
  heading('Memory of the engines');
  for (const [program, megabytes] of childMemory()) report(`memory of ${program}, at most (MB)`, megabytes.toFixed(0));
  providers.close();
}

const secondsOf = (pcm16: Uint8Array) => pcm16.length / 2 / SPEECH_RATE;
const percent = (share: number) => `${(share * 100).toFixed(1)}%`;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Computing, where the system tells it, else time: for each second of sound. */
async function measured<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const [before, began] = [childrenCpuS(), performance.now()];
  const result = await work();
  const after = childrenCpuS();
  return { result, seconds: before === null || after === null ? (performance.now() - began) / 1_000 : after - before };
}

async function speakAll(providers: Providers, model: string): Promise<Uint8Array[]> {
  await providers.generateSpeech({ model, text: 'Hello.' }, options); // it is loaded
  const firsts: number[] = [];
  const { result, seconds } = await measured(async () => {
    const sounds: Uint8Array[] = [];
    for (const text of SENTENCES) {
      const began = performance.now();
      const pieces: Uint8Array[] = [];
      for await (const piece of providers.streamSpeech({ model, text }, options)) {
        if (pieces.length === 0) firsts.push(performance.now() - began);
        pieces.push(piece);
      }
      sounds.push(Buffer.concat(pieces));
    }
    return sounds;
  });
  const sound = sum(result.map(secondsOf));
  report(`${model}: computing for a second of sound (s)`, (seconds / sound).toFixed(3));
  report(`${model}: first sound of a sentence (ms, median)`, median(firsts).toFixed(0));
  return result;
}

/** What the engine around the model costs: its process, messages, shaping. */
async function compareBare(providers: Providers): Promise<void> {
  const texts = SENTENCES.slice(0, 6);
  const voice = 'am_michael'; // in which nothing was said before, so that nothing is remembered
  const program = fileURLToPath(new URL('speech/bare-kokoro.ts', import.meta.url));
  const { seconds } = await measured(async () => {
    for (const text of texts) await providers.generateSpeech({ model: 'embedded/kokoro', text, voice }, options);
  });
  const { stdout } = await promisify(execFile)(process.execPath, [program, voice, JSON.stringify(texts)]);
  report('embedded/kokoro: speed, of that of its bare model', (Number(stdout) / seconds).toFixed(2), 'aim over 0.95');
}

async function hearAll(
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
  report(`${speaker}, heard by ${listener}: words wrong`, percent(wrong / sum(words)), aim);
  report(`${listener}: computing for a second of sound (s)`, (seconds / sum(sounds.map(secondsOf))).toFixed(3));
  for (const [at, heard] of result.entries())
    if (wordErrorRate(heard, SENTENCES[at]!) > 0) console.log(`    ${SENTENCES[at]}\n    → ${heard}`);
}

async function hearClip(providers: Providers, listener: string, clip: string): Promise<void> {
  const [file = '', ...said] = clip.split('=');
  const audio = toPcm16(readWav(file, SPEECH_RATE));
  const { result, seconds } = await measured(() =>
    providers.transcribe({ model: listener, audio, mediaType: PCM16 }, options),
  );
  const rate = wordErrorRate(result.text, said.join('='));
  report(`${file.split('/').at(-1)}, heard by ${listener}: words wrong`, percent(rate), 'aim under 5%');
  report(`${listener}: computing for a second of it (s)`, (seconds / secondsOf(audio)).toFixed(3));
}

/** How long after the last sound the words are there, when they were written down while they were spoken, at the speed of speech. */
async function live(providers: Providers, sounds: readonly Uint8Array[]): Promise<void> {
  const waits: number[] = [];
  for (const sound of sounds.slice(0, 4)) {
    const transcription = providers.openTranscription({ model: 'embedded/moonshine' }, options);
    const padded = Buffer.concat([sound, new Uint8Array(SPEECH_RATE)]); // the half second after which it is known to be the end
    const step = SPEECH_RATE / 5; // a tenth of a second
    for (let at = 0; at < padded.length; at += step) {
      transcription.push(padded.subarray(at, at + step));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const began = performance.now();
    await transcription.end();
    waits.push(performance.now() - began);
  }
  report('the words of a sentence, after half a second of silence (ms)', median(waits).toFixed(0), 'aim under 100');
}
