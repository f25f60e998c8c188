import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_TURN_DETECTION } from '@chorus/contract';
import type { Providers } from '@chorus/providers';
import { bytesOf, ClauseCutter, durationMs, loadVoiceActivity, TurnDetector, thresholdsOf } from '@chorus/speech';
import { heading, median, report } from '../report.ts';

/** Simulates a fast chat model. */
const FIRST_WORD_MS = 100;
const WORD_MS = 15;
/** Each starts differently, because speech is cached. */
const ANSWERS = [
  'Yes, I can tell you about that. There are three ways to do it.',
  'There are three ways to do it, and the first one is the simplest.',
  'I found two documents about the harbor. The newer one mentions the fire.',
  'Sure, let me look that up for you. One moment, please.',
  'The meeting was moved to Thursday, at the same time and in the same room.',
  'That depends on the weather. If it stays dry, the ferry leaves in the morning.',
  'No, the shop is closed today. It opens again tomorrow morning.',
  'According to the report, the bridge will be open again in spring.',
];

const STEP_MS = 20;
const SILENCE_MS = 2_000;
const QUIET = 330;

const STAGES = ['end of turn detected', 'its words', 'first word', 'first clause', 'first sound'];

const options = { signal: new AbortController().signal, executionId: 'bench' };

/**
 * Measures whole turns in this process, in real time: transcribed, answered by a scripted model, and spoken.
 * Times start at the question's last sound.
 *
 * @param questions pcm16, 24 kHz
 */
export async function spokenTurns(providers: Providers, questions: readonly Uint8Array[]): Promise<void> {
  for (const model of ['embedded/kokoro', 'embedded/flite']) {
    await Array.fromAsync(providers.streamSpeech({ model, text: 'Hello.' }, options)); // loads the models
    const turns: number[][] = [];
    for (const [at, answer] of ANSWERS.entries())
      turns.push(await spokenTurn(providers, questions[at % questions.length]!, answer, model));
    heading(`A turn answered by ${model}: after the last sound of the question (ms, median)`);
    for (const [at, stage] of STAGES.entries())
      report(stage, median(turns.map((turn) => turn[at]!)).toFixed(0), at === STAGES.length - 1 ? 'aim under 900' : '');
  }
}

async function spokenTurn(
  providers: Providers,
  question: Uint8Array,
  answer: string,
  model: string,
): Promise<number[]> {
  const transcription = providers.openTranscription({ model: 'embedded/moonshine' }, options);
  const activity = (await loadVoiceActivity()).open();
  const detector = new TurnDetector(thresholdsOf(DEFAULT_TURN_DETECTION, null));
  const sound = Buffer.concat([question, new Uint8Array(bytesOf(SILENCE_MS))]);
  const startedAt = performance.now();
  let over = false;
  for (let at = 0; !over && at < sound.length; at += bytesOf(STEP_MS)) {
    const piece = sound.subarray(at, at + bytesOf(STEP_MS));
    transcription.push(piece);
    void activity.push(piece).then((probabilities) => {
      for (const probability of probabilities) over ||= detector.push(probability)?.type === 'speech_stopped';
    });
    await pause(Math.max(0, startedAt + (at / bytesOf(STEP_MS) + 1) * STEP_MS - performance.now()));
  }
  const end = startedAt + durationMs({ byteLength: lastSound(question) });
  const times = [performance.now() - end];
  await transcription.end();
  times.push(performance.now() - end);
  const clause = await firstClause(answer, () => times.push(performance.now() - end));
  times.push(performance.now() - end);
  for await (const _ of providers.streamSpeech({ model, text: clause }, options)) {
    times.push(performance.now() - end);
    break;
  }
  return times;
}

async function firstClause(answer: string, onWord: () => void): Promise<string> {
  const cutter = new ClauseCutter();
  await pause(FIRST_WORD_MS);
  onWord();
  for (const word of answer.match(/\S+\s?/g) ?? []) {
    const [clause] = cutter.take(word);
    if (clause !== undefined) return clause.text;
    await pause(WORD_MS);
  }
  return answer;
}

function lastSound(pcm16: Uint8Array): number {
  const samples = new Int16Array(pcm16.buffer, pcm16.byteOffset, pcm16.length >> 1);
  return (samples.findLastIndex((sample) => Math.abs(sample) > QUIET) + 1) * 2;
}
