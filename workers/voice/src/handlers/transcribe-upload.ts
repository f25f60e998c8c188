import { buffer } from 'node:stream/consumers';
import {
  ChorusError,
  scopeKey,
  type TranscriptItem,
  type Usage,
  VOICE_LIMITS,
  type VoiceTurnInput,
  type voiceTurn,
} from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { checkHeardLanguage, durationMs, findSpeech } from '@chorus/speech';
import type { JobContext } from '@chorus/worker-kit';
import type { VoiceParts } from './voice-parts.ts';

type Audio = Extract<VoiceTurnInput['said'], { type: 'audio' }>;

/** Audio kept before and after detected speech, in case it is speech too. */
export const MARGIN_MS = 400;

/**
 * Transcribes uploaded audio without the silence around speech. Calls no model if there is no speech.
 *
 * @throws {ChorusError} not_found, invalid_request (unreadable, too long, or in a language that the model does not
 * know), no_speech, and errors of the model
 */
export async function transcribeUpload(
  { assets, decoder, providers }: Pick<VoiceParts, 'assets' | 'decoder' | 'providers'>,
  { owner, caller, signal, note }: Pick<JobContext<typeof voiceTurn.kind>, 'owner' | 'caller' | 'signal' | 'note'>,
  { asset_id, model }: Audio,
): Promise<{ heard: TranscriptItem; usage: Usage; warnings: string[] }> {
  const asset = await assets.get(owner, asset_id);
  if (asset === null) throw new ChorusError('not_found', 'The audio file was deleted.');
  const pcm = await decoder.decode(sourceOf(assets, asset), {
    owner: scopeKey(owner),
    longestMs: VOICE_LIMITS.audioMs,
    signal,
  });
  const speech = await findSpeech(pcm, { marginMs: MARGIN_MS, signal });
  if (speech === null) throw nothingSaid();
  const call = { model, audio: speech, mediaType: 'audio/pcm' };
  const said = await providers.transcribe(call, { signal, ...caller, onUnfinished: (usage) => note({ usage }) });
  const { text, language, usage } = said;
  if (text.trim() === '') throw nothingSaid();
  const warnings = checkHeardLanguage(providers, said, { model, field: 'transcription_model' });
  const duration_ms = Math.round(durationMs(pcm));
  return { heard: { type: 'transcript', text: text.trim(), model, language, duration_ms }, usage, warnings };
}

/** Returns a file in the form that the decoder reads. */
export function sourceOf(assets: VoiceParts['assets'], asset: AssetRecord) {
  const read = async (start: number, end: number) => buffer(await assets.read(asset, { start, end: end - 1 }));
  return { sizeBytes: asset.size_bytes, read };
}

function nothingSaid(): ChorusError {
  return new ChorusError('no_speech', 'The audio contains no speech.');
}
