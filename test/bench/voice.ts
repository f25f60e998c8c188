import { setTimeout as pause } from 'node:timers/promises';
import { PROVIDERS, type ProviderName } from '@chorus/contract';
import { createLogger } from '@chorus/log';
import { createProviders, SPEECH_RATE } from '@chorus/providers';
import { fakeVoice } from '@chorus/testing';
import { heading, median, percentile, report } from './figures.ts';
import { type BenchPlatform, startPlatform } from './platform.ts';
import { VoiceSocket } from './voice/voice-socket.ts';

const TURNS = 20;
const SOCKETS = 50;
const LISTEN_MS = 10_000;

/** Bytes of so many milliseconds of sound. */
const bytesOf = (ms: number) => (ms * SPEECH_RATE * 2) / 1_000;

/** The pause that ends a turn, in milliseconds: as short as one takes for a machine that is quick. */
const SILENCE_MS = 300;

const QUESTIONS = [
  'What should I take along for a long walk in the mountains?',
  'How far is it from here to the next station?',
  'Tell me what the old mill was built for.',
  'Which of the two rivers is the longer one?',
  'Please read me the second part of the letter.',
  'When does the last train leave on Sunday evening?',
];

/** What a spoken turn takes on a voice socket, by stage, and how many sockets one process carries. */
export async function voice(): Promise<void> {
  const scripted = await startPlatform({
    OPENAI_API_KEY: 'bench',
    DEFAULT_MODEL: 'compatible/words-20',
    DEFAULT_SPEECH_MODEL: 'openai/tts-1',
    DEFAULT_TRANSCRIPTION_MODEL: 'openai/whisper-1',
  });
  try {
    await added(scripted);
    await together(scripted);
  } finally {
    await scripted.stop();
  }
  const embedded = await startPlatform({ DEFAULT_MODEL: 'compatible/echo' });
  try {
    await spoken(embedded);
  } finally {
    await embedded.stop();
  }
}

const detection = (ms: number) => ({ turn_detection: { type: 'server_vad', silence_duration_ms: ms } });

/** Providers that answer at once: what is left is the platform's own. */
async function added(platform: BenchPlatform): Promise<void> {
  heading('A spoken turn, with providers that answer at once: after its end was found (ms, median / p90)');
  const session = { input_audio_transcription: { model: 'whisper-1' }, ...detection(SILENCE_MS) };
  const socket = await VoiceSocket.open(platform, 'compatible/words-20', session);
  const stages: number[][] = [];
  for (let turn = 0; turn < TURNS + 3; turn++) {
    const after = socket.told.length;
    socket.speak(Buffer.concat([fakeVoice(1), Buffer.alloc(bytesOf(SILENCE_MS + 600))]));
    const times = await stagesOf(socket, after);
    await socket.first('response.done', after);
    if (turn >= 3) stages.push(times.map((at) => at - (times[0] ?? 0)));
    await pause(500);
  }
  socket.close();
  for (const [place, name] of ['', 'its words', 'first text', 'first sound'].entries()) {
    if (place === 0) continue;
    const values = stages.map((times) => times[place] ?? Number.NaN);
    const aim = place === 3 ? 'aim under 60 at the median' : '';
    report(`until ${name}`, `${median(values).toFixed(0)} / ${percentile(values, 0.9).toFixed(0)}`, aim);
  }
}

/** When the end of a turn was found, it was written down, its answer began, and sounded. */
async function stagesOf(socket: VoiceSocket, after: number): Promise<number[]> {
  const stopped = await socket.first('input_audio_buffer.speech_stopped', after);
  const heard = await socket.first('conversation.item.input_audio_transcription.completed', after);
  const text = await socket.first('response.output_audio_transcript.delta', after);
  const sound = await socket.first('response.output_audio.delta', after);
  return [stopped.at, heard.at, text.at, sound.at];
}

/** Models that run here, questions that are spoken by one of them, at the speed of speech. */
async function spoken(platform: BenchPlatform): Promise<void> {
  heading(
    `A spoken turn, with embedded models and a chat model that answers at once: after the last word (ms, median), ${SILENCE_MS} ms of silence end it`,
  );
  const off = Object.fromEntries(PROVIDERS.map((name) => [name, { apiKey: null, baseUrl: null }]));
  const log = createLogger({ name: 'bench', level: 'silent' });
  const providers = createProviders(off as Record<ProviderName, { apiKey: null; baseUrl: null }>, { log });
  await providers.ready();
  const options = { signal: new AbortController().signal, executionId: 'bench' };
  const said: Uint8Array[] = [];
  for (const text of QUESTIONS)
    said.push((await providers.generateSpeech({ model: 'embedded/flite', text }, options)).audio);
  providers.close();
  const session = { input_audio_transcription: {}, ...detection(SILENCE_MS) };
  const socket = await VoiceSocket.open(platform, 'compatible/echo', session);
  const stages: number[][] = [];
  for (const [turn, pcm] of said.entries()) {
    const after = socket.told.length;
    const sound = withoutSilence(pcm);
    const began = performance.now();
    const all = Buffer.concat([sound, Buffer.alloc(bytesOf(2_000))]);
    const speaking = stagesOf(socket, after);
    speaking.catch(() => undefined);
    for (let at = 0; at < all.length; at += bytesOf(40)) {
      const wait = began + (at / bytesOf(40)) * 40 - performance.now();
      if (wait > 0) await pause(wait);
      socket.speak(all.subarray(at, at + bytesOf(40)));
    }
    const end = began + sound.length / bytesOf(1);
    // The first one loads the models, and may be too late for that.
    const times = await speaking.catch((error: unknown) => {
      if (turn > 0) throw error;
      return null;
    });
    if (times !== null) await socket.first('response.done', after);
    if (times !== null && turn > 0) stages.push(times.map((at) => at - end));
    await pause(500);
  }
  socket.close();
  for (const [place, name] of ['the end was found', 'its words', 'first text', 'first sound'].entries())
    report(
      `until ${name}`,
      median(stages.map((times) => times[place] ?? Number.NaN)).toFixed(0),
      place === 3 ? 'aim under 900' : '',
    );
}

/** Up to the last sample that one hears. */
function withoutSilence(pcm: Uint8Array): Uint8Array {
  const samples = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.byteLength / 2);
  const last = samples.findLastIndex((sample) => Math.abs(sample) > 400);
  return pcm.subarray(0, (last + 1) * 2);
}

/** Many who listen at once, while their microphones are open. */
async function together(platform: BenchPlatform): Promise<void> {
  heading(`${SOCKETS} voice sockets in one process, all spoken to, all microphones open`);
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, () => VoiceSocket.open(platform, 'compatible/words-600-delay-10', {})),
  );
  const api = () => platform.memory().find(({ name }) => name === 'apps/api')?.megabytes ?? Number.NaN;
  const before = { cpu: await cpuSeconds(platform), at: performance.now(), memory: api() };
  for (const socket of sockets) {
    socket.write('Go.');
    await pause(LISTEN_MS / SOCKETS / 10);
  }
  const quiet = Buffer.alloc(bytesOf(100));
  const until = performance.now() + LISTEN_MS;
  while (performance.now() < until) {
    for (const socket of sockets) socket.speak(quiet);
    await pause(100);
  }
  const cpu = (await cpuSeconds(platform)) - before.cpu;
  const seconds = (performance.now() - before.at) / 1_000;
  const late = sockets.map((socket) => lateOf(socket));
  report('sockets that sound', String(late.filter(({ pieces }) => pieces > 0).length), `aim ${SOCKETS}`);
  report('processor of the API, of one core', `${((cpu / seconds) * 100).toFixed(0)}%`);
  report('memory of the API (MB)', `${api().toFixed(0)}`, `${before.memory.toFixed(0)} before they spoke`);
  const pieces = late.reduce((sum, each) => sum + each.pieces, 0);
  const behind = late.reduce((sum, each) => sum + each.late, 0);
  report('pieces of sound that came too late to be played in time', `${behind} of ${pieces}`, 'aim 0');
  for (const socket of sockets) socket.close();
}

/** Pieces of sound that came after all before them had been played. */
function lateOf({ told }: VoiceSocket): { pieces: number; late: number } {
  let began: number | null = null;
  let [pieces, late] = [0, 0];
  for (const event of told) {
    if (event.type !== 'response.output_audio.delta') continue;
    began ??= event.at;
    pieces += 1;
    const behind = event.at - began - (event.offset_ms ?? 0);
    if (behind <= 0) continue;
    // The player has waited for it, and goes on from there.
    late += 1;
    began += behind;
  }
  return { pieces, late };
}

async function cpuSeconds({ api }: BenchPlatform): Promise<number> {
  const text = await (await fetch(`${new URL(api).origin}/metrics`)).text();
  return Number(/^process_cpu_seconds_total\S* ([\d.]+)/m.exec(text)?.[1]);
}
