import { setTimeout as pause } from 'node:timers/promises';
import { PROVIDERS, type ProviderName, SPEECH_RATE } from '@chorus/contract';
import { createProviders } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { fakeVoice } from '@chorus/testing';
import { type BenchPlatform, startPlatform } from './platform.ts';
import { residentOf } from './process-family.ts';
import { heading, median, percentile, report } from './report.ts';
import { VoiceSocket } from './voice/voice-socket.ts';

const TURNS = 20;
const SOCKETS = 50;
const LISTEN_MS = 10_000;

const bytesOf = (ms: number) => (ms * SPEECH_RATE * 2) / 1_000;

/** Silence that ends a turn; short, as for a fast machine. */
const SILENCE_MS = 300;

const QUESTIONS = [
  'What should I take along for a long walk in the mountains?',
  'How far is it from here to the next station?',
  'Tell me what the old mill was built for.',
  'Which of the two rivers is the longer one?',
  'Please read me the second part of the letter.',
  'When does the last train leave on Sunday evening?',
];

/** Measures the stages of a spoken turn on a voice socket, and concurrent sockets per process. */
export async function voice(): Promise<void> {
  const scripted = await startPlatform({
    OPENAI_API_KEY: 'bench',
    DEFAULT_MODEL: 'compatible/words-20',
    DEFAULT_SPEECH_MODEL: 'openai/tts-1',
    DEFAULT_TRANSCRIPTION_MODEL: 'openai/whisper-1',
  });
  try {
    await overhead(scripted);
    await concurrentSockets(scripted);
  } finally {
    await scripted.stop();
  }
  const embedded = await startPlatform({ DEFAULT_MODEL: 'compatible/echo' });
  try {
    await embeddedTurns(embedded);
  } finally {
    await embedded.stop();
  }
}

const detection = (ms: number) => ({ turn_detection: { type: 'server_vad', silence_duration_ms: ms } });

/** Uses instant providers to show the platform's overhead. */
async function overhead(platform: BenchPlatform): Promise<void> {
  heading('A spoken turn with instant providers: after the end was detected (ms, median / p90)');
  const session = { input_audio_transcription: { model: 'whisper-1' }, ...detection(SILENCE_MS) };
  const socket = await VoiceSocket.open(platform, 'compatible/words-20', session);
  const stages: number[][] = [];
  for (let turn = 0; turn < TURNS + 3; turn++) {
    const after = socket.received.length;
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

/** Returns when the end of the turn was detected, and when its transcript, first text, and first audio arrived. */
async function stagesOf(socket: VoiceSocket, after: number): Promise<number[]> {
  const stopped = await socket.first('input_audio_buffer.speech_stopped', after);
  const heard = await socket.first('conversation.item.input_audio_transcription.completed', after);
  const text = await socket.first('response.output_audio_transcript.delta', after);
  const sound = await socket.first('response.output_audio.delta', after);
  return [stopped.at, heard.at, text.at, sound.at];
}

/** Uses embedded models and synthesized questions, in real time. */
async function embeddedTurns(platform: BenchPlatform): Promise<void> {
  heading(
    `A spoken turn with embedded models and an instant chat model: after the last word (ms, median), ${SILENCE_MS} ms of silence end it`,
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
    const after = socket.received.length;
    const sound = withoutSilence(pcm);
    const startedAt = performance.now();
    const all = Buffer.concat([sound, Buffer.alloc(bytesOf(2_000))]);
    const speaking = stagesOf(socket, after);
    speaking.catch(() => undefined);
    for (let at = 0; at < all.length; at += bytesOf(40)) {
      const wait = startedAt + (at / bytesOf(40)) * 40 - performance.now();
      if (wait > 0) await pause(wait);
      socket.speak(all.subarray(at, at + bytesOf(40)));
    }
    const end = startedAt + sound.length / bytesOf(1);
    // The first turn loads the models and may miss the timeout.
    const times = await speaking.catch((error: unknown) => {
      if (turn > 0) throw error;
      return null;
    });
    if (times !== null) await socket.first('response.done', after);
    if (times !== null && turn > 0) stages.push(times.map((at) => at - end));
    await pause(500);
  }
  socket.close();
  for (const [place, name] of ['end of turn detected', 'its words', 'first text', 'first sound'].entries())
    report(
      `until ${name}`,
      median(stages.map((times) => times[place] ?? Number.NaN)).toFixed(0),
      place === 3 ? 'aim under 900' : '',
    );
}

function withoutSilence(pcm: Uint8Array): Uint8Array {
  const samples = new Int16Array(pcm.buffer, pcm.byteOffset, pcm.byteLength / 2);
  const last = samples.findLastIndex((sample) => Math.abs(sample) > 400);
  return pcm.subarray(0, (last + 1) * 2);
}

/** Plays audio to many sockets at once, with open microphones. */
async function concurrentSockets(platform: BenchPlatform): Promise<void> {
  heading(`${SOCKETS} voice sockets in one process, all playing, all microphones open`);
  const sockets = await Promise.all(
    Array.from({ length: SOCKETS }, () => VoiceSocket.open(platform, 'compatible/words-600-delay-10', {})),
  );
  const api = () => residentOf(platform.pid, 'apps/api');
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
  const late = sockets.map((socket) => countLate(socket));
  report('sockets that received audio', String(late.filter(({ pieces }) => pieces > 0).length), `aim ${SOCKETS}`);
  report('CPU of the API, of one core', `${((cpu / seconds) * 100).toFixed(0)}%`);
  report('memory of the API (MB)', `${api().toFixed(0)}`, `${before.memory.toFixed(0)} before`);
  const pieces = late.reduce((sum, each) => sum + each.pieces, 0);
  const behind = late.reduce((sum, each) => sum + each.late, 0);
  report('audio chunks too late for gapless playback', `${behind} of ${pieces}`, 'aim 0');
  for (const socket of sockets) socket.close();
}

/** Counts audio chunks that arrived after all earlier ones had been played. */
function countLate({ received }: VoiceSocket): { pieces: number; late: number } {
  let startedAt: number | null = null;
  let [pieces, late] = [0, 0];
  for (const event of received) {
    if (event.type !== 'response.output_audio.delta') continue;
    startedAt ??= event.at;
    pieces += 1;
    const behind = event.at - startedAt - (event.offset_ms ?? 0);
    if (behind <= 0) continue;
    // The player has paused and continues from here.
    late += 1;
    startedAt += behind;
  }
  return { pieces, late };
}

async function cpuSeconds({ api }: BenchPlatform): Promise<number> {
  const text = await (await fetch(`${new URL(api).origin}/metrics`)).text();
  return Number(/^process_cpu_seconds_total\S* ([\d.]+)/m.exec(text)?.[1]);
}
