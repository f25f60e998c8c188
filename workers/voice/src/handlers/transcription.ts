import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ChorusError,
  type JobOutput,
  scopeKey,
  TRANSCRIPTION_LIMITS,
  type TranscriptItem,
  type Usage,
} from '@chorus/contract';
import type { Transcript } from '@chorus/providers';
import { sumUsage } from '@chorus/providers/usage';
import { bytesOf, checkHeardLanguage, cutAtPause, durationMs, findSpeech } from '@chorus/speech';
import type { Handler, JobContext, JobResult } from '@chorus/worker-kit';
import { GrowingSound } from './growing-sound.ts';
import { prepareModels } from './prepare-models.ts';
import { MARGIN_MS, sourceOf } from './transcribe-upload.ts';
import { TranscriptSoFar } from './transcript-so-far.ts';
import { providerOf, type VoiceParts } from './voice-parts.ts';

/** Providers accept files of this length, and there is likely a pause before it. */
const PART_BYTES = bytesOf(300_000);
const PAUSE_FROM_BYTES = bytesOf(270_000);

/** Segments and words of an event. Longer transcripts are in the record only. */
const MAX_SHOWN = 2_000;

type Parts = Pick<VoiceParts, 'assets' | 'decoder' | 'providers'>;
type Job = JobContext<'transcription'>;

/** Transcribes a file part by part, so that a long one needs little memory and shows its text early. */
export const transcription = (parts: Parts): Handler<'transcription'> => ({
  async run(job) {
    const { asset_id, duration_ms, model, warnings } = job.input;
    job.note({ model, provider: providerOf(model), warnings });
    prepareModels(parts, job, [{ model }]);
    const asset = await parts.assets.get(job.owner, asset_id);
    if (asset === null) throw new ChorusError('not_found', 'The audio file was deleted.');
    const folder = await mkdtemp(join(tmpdir(), 'chorus-sound-'));
    const path = join(folder, 'pcm');
    const given = new AbortController();
    const options = {
      owner: scopeKey(job.owner),
      longestMs: TRANSCRIPTION_LIMITS.audioMs,
      signal: AbortSignal.any([job.signal, given.signal]),
    };
    const sound = new GrowingSound(path, (onSize) =>
      parts.decoder.decodeTo(path, sourceOf(parts.assets, asset), duration_ms, options, onSize),
    );
    try {
      return await transcribe(parts, job, sound);
    } finally {
      given.abort();
      await sound.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
});

async function transcribe(parts: Parts, job: Job, sound: GrowingSound): Promise<JobResult<JobOutput<'transcription'>>> {
  const { input, emit, note, checkpoint, place } = job;
  const { model, language, duration_ms } = input;
  const warnings = new Set(input.warnings);
  const soFar = new TranscriptSoFar(checkpoint.value);
  const { known } = soFar;
  if (known.text !== '') await emit({ type: 'text.delta', index: 0, delta: known.text });
  const seconds = (bytes: number) => Math.round(durationMs({ byteLength: bytes }) / 1_000);
  let decoded: { size: number; isWhole: boolean };
  for (;;) {
    // A file of unknown length may turn out to be too long, so wait for its end first.
    decoded = await sound.upTo(duration_ms === null ? Number.POSITIVE_INFINITY : known.bytes + PART_BYTES);
    const total = decoded.isWhole ? seconds(decoded.size) : Math.round((duration_ms ?? 0) / 1_000);
    await emit({ type: 'progress', progress: { completed: seconds(known.bytes), total, stage: 'transcribing' } });
    if (decoded.isWhole && known.bytes >= decoded.size) break;
    const doubts = await transcribePart(parts, job, soFar, await nextPart(sound, known.bytes, decoded));
    for (const doubt of doubts) warnings.add(doubt);
    note({ usage: known.usage });
    await checkpoint.save(known);
    const isLast = decoded.isWhole && known.bytes >= decoded.size;
    if (!isLast && (await place.isWanted(sound.decodingMs))) place.giveBack();
  }
  const { text, segments, words, usage } = known;
  const item: TranscriptItem = {
    type: 'transcript',
    text,
    model,
    language: known.language ?? language,
    duration_ms: Math.round(durationMs({ byteLength: decoded.size })),
    segments,
    ...(input.words && { words }),
  };
  if (segments.length + words.length <= MAX_SHOWN) await emit({ type: 'output.item', index: 1, item });
  return {
    output: [{ type: 'text', text }, item],
    usage,
    model,
    provider: providerOf(model),
    finish_reason: null,
    warnings: [...warnings],
  };
}

/** Reads the next part of the sound, which ends in a pause. */
async function nextPart(
  sound: GrowingSound,
  start: number,
  { size, isWhole }: { size: number; isWhole: boolean },
): Promise<Uint8Array> {
  const part = await sound.read(start, Math.min(PART_BYTES, size - start));
  const isLast = isWhole && start + part.length === size;
  return isLast ? part : part.subarray(0, cutAtPause(part, PAUSE_FROM_BYTES));
}

/** Returns warnings. */
async function transcribePart(
  { providers }: Parts,
  { input, caller, signal, emit, note }: Job,
  soFar: TranscriptSoFar,
  pcm: Uint8Array,
): Promise<string[]> {
  const { model, task, language, prompt, temperature, words } = input;
  const start = soFar.known.bytes;
  const end = start + pcm.byteLength;
  // Models invent words in silence.
  const speech = await findSpeech(pcm, { marginMs: MARGIN_MS, signal });
  if (speech === null) {
    soFar.add(end, null, 0);
    return [];
  }
  let shown = soFar.known.text;
  const show = (text: string) => {
    const delta = soFar.separator(shown) + text;
    shown += delta;
    return emit({ type: 'text.delta', index: 0, delta });
  };
  const call = {
    model,
    audio: speech,
    mediaType: 'audio/pcm',
    task,
    words,
    ...(language !== null && { language }),
    ...(prompt !== null && { prompt }),
    ...(temperature !== null && { temperature }),
    onSegment: ({ text }: Transcript['segments'][number]) => void show(text),
  };
  const onUnfinished = (used: Usage) => note({ usage: sumUsage(soFar.known.usage, used) });
  const heard = await providers.transcribe(call, { signal, ...caller, onUnfinished });
  const before = soFar.known.text;
  // Later parts in another language do not discard the text.
  const doubted = before !== '' && heard.doubt === 'foreign' ? { ...heard, doubt: 'unclear' as const } : heard;
  const hint = ' If it is English, set `language` to `en`.';
  const doubts = language !== null ? [] : checkHeardLanguage(providers, doubted, { model, field: 'model', hint });
  soFar.add(end, heard, durationMs({ byteLength: start + speech.byteOffset - pcm.byteOffset }));
  if (shown === before && heard.text !== '') await show(heard.text);
  return doubts;
}
