import { open } from 'node:fs/promises';
import { ChorusError, type Owner, scopeKey, TRANSCRIPTION_LIMITS, type Usage } from '@chorus/contract';
import type { Block, ParsedDocument } from '@chorus/documents';
import type { RevisionFiles } from '@chorus/knowledge';
import type { Providers } from '@chorus/providers';
import { bytesOf, checkHeardLanguage, cutAtPause, durationMs, findSpeech, type SoundDecoder } from '@chorus/speech';
import type { Caller, Place } from '@chorus/worker-kit';
import type { SourceFile } from './source-file.ts';

/** Providers accept files of this length. */
const PART_MS = 300_000;
/** Share of a part after which it may end in a pause. */
const PAUSE_FROM = 0.9;

/** Audio kept before and after detected speech, in case it is speech too. */
const MARGIN_MS = 400;

export interface SoundParts {
  decoder: Pick<SoundDecoder, 'decodeTo'>;
  providers: Pick<Providers, 'models' | 'transcribe'>;
  /** The configured `provider/model`. Null: the first that can transcribe. */
  transcriptionModel: string | null;
}

interface Transcription {
  owner: Owner;
  caller: Caller;
  signal: AbortSignal;
  files: Pick<RevisionFiles, 'pages' | 'putPages'>;
  place: Place;
  onProgress(done: number, total: number): void;
  onUsage(usage: Usage): Promise<void>;
  /** Length of a part. Default: five minutes. */
  partMs?: number;
}

/** Tells whether a file is read by transcribing it. */
export function isSound({ mimeType }: Pick<SourceFile, 'mimeType'>): boolean {
  return /^(?:audio|video)\//.test(mimeType);
}

/**
 * Transcribes an audio file, or the sound of a video, part by part. Parts that an earlier attempt has stored are not
 * transcribed again.
 *
 * @throws {ChorusError} invalid_request for sound that cannot be read or is too long; no_speech; errors of the model
 */
export async function transcribeSound(
  { decoder, providers, transcriptionModel }: SoundParts,
  source: Pick<SourceFile, 'path' | 'sizeBytes'>,
  { owner, caller, signal, files, place, onProgress, onUsage, partMs = PART_MS }: Transcription,
): Promise<ParsedDocument> {
  const model = transcriptionModel ?? firstModel(providers);
  // Noted at once; only storing it may fail.
  const onUnfinished = (used: Usage) => void onUsage(used).catch(() => undefined);
  const known = new Map((await files.pages()).map(({ number, text }) => [number, text]));
  const beganAt = performance.now();
  const path = `${source.path}.pcm`;
  const limits = { owner: scopeKey(owner), longestMs: TRANSCRIPTION_LIMITS.audioMs, signal };
  await decodeFile(decoder, source, path, limits);
  const setupMs = performance.now() - beganAt;
  const blocks: Block[] = [];
  const warnings = new Set<string>();
  const sound = await open(path);
  try {
    const { size } = await sound.stat();
    const partBytes = bytesOf(partMs);
    for (let [start, number] = [0, 1]; start < size; number += 1) {
      signal.throwIfAborted();
      onProgress(secondsOf(start), secondsOf(size));
      const part = Buffer.alloc(Math.min(partBytes, size - start));
      await sound.read(part, 0, part.byteLength, start);
      const isLast = start + part.byteLength === size;
      const heard = isLast ? part : part.subarray(0, cutAtPause(part, bytesOf(partMs * PAUSE_FROM)));
      let text = known.get(number);
      if (text === undefined) {
        const speech = await findSpeech(heard, { marginMs: MARGIN_MS, signal });
        text = '';
        if (speech !== null) {
          const call = { model, audio: speech, mediaType: 'audio/pcm' };
          const said = await providers.transcribe(call, { signal, ...caller, isBatch: true, onUnfinished });
          for (const doubt of checkHeardLanguage(providers, said, { model, field: 'DEFAULT_TRANSCRIPTION_MODEL' }))
            warnings.add(doubt);
          text = said.text.trim();
          await onUsage(said.usage);
        }
        await files.putPages([{ number, text }]);
        if (!isLast && (await place.isWanted(setupMs))) place.giveBack();
      }
      if (text !== '') blocks.push(...blocksOf(text, secondsOf(start), size > partBytes));
      start += heard.byteLength;
    }
  } finally {
    await sound.close();
  }
  if (blocks.length === 0) throw new ChorusError('no_speech', 'The audio contains no speech.');
  return { title: null, pageCount: null, blocks, warnings: [...warnings] };
}

/** Long recordings get a heading for each part, so that citations show the time. */
function blocksOf(text: string, startS: number, isLong: boolean): Block[] {
  const clock = `${Math.floor(startS / 60)}:${String(startS % 60).padStart(2, '0')}`;
  const heading: Block = { type: 'heading', level: 1, text: `From ${clock}`, page: null };
  return [...(isLong ? [heading] : []), { type: 'paragraph', text, page: null }];
}

async function decodeFile(
  decoder: SoundParts['decoder'],
  { path, sizeBytes }: Pick<SourceFile, 'path' | 'sizeBytes'>,
  into: string,
  limits: Parameters<SoundDecoder['decodeTo']>[3],
): Promise<void> {
  const file = await open(path);
  const read = async (start: number, end: number) => {
    const bytes = Buffer.alloc(end - start);
    await file.read(bytes, 0, bytes.byteLength, start);
    return bytes;
  };
  try {
    await decoder.decodeTo(into, { sizeBytes, read }, null, limits);
  } finally {
    await file.close();
  }
}

function firstModel(providers: SoundParts['providers']): string {
  const model = providers.models().find(({ capabilities }) => capabilities.includes('transcription'));
  if (model === undefined) throw new ChorusError('invalid_request', 'No model here can transcribe audio.');
  return model.id;
}

const secondsOf = (byteLength: number) => Math.round(durationMs({ byteLength }) / 1_000);
