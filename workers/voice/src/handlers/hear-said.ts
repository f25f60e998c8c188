import { buffer } from 'node:stream/consumers';
import {
  ChorusError,
  scopeKey,
  type TranscriptItem,
  type Usage,
  VOICE_LIMITS,
  type VoiceTurnInput,
} from '@chorus/contract';
import type { AssetRecord } from '@chorus/database';
import { durationMs, findSpeech } from '@chorus/speech';
import type { JobContext } from '@chorus/worker-kit';
import type { VoiceParts } from './voice-parts.ts';

type Audio = Extract<VoiceTurnInput['said'], { type: 'audio' }>;

/** What is said before and after speech, and may be speech after all, in milliseconds. */
const MARGIN_MS = 400;

/**
 * What is said in a sound that was uploaded. What is no speech at its beginning and end is not listened to; where there is none at all, no model is asked.
 *
 * @throws {ChorusError} not_found, invalid_request (it can't be read, or is too long), no_speech, and what the model throws
 */
export async function hearSaid(
  { assets, decoder, providers }: Pick<VoiceParts, 'assets' | 'decoder' | 'providers'>,
  { owner, executionId, signal }: Pick<JobContext<'voice.turn'>, 'owner' | 'executionId' | 'signal'>,
  { asset_id, model }: Audio,
): Promise<{ heard: TranscriptItem; usage: Usage }> {
  const asset = await assets.get(owner, asset_id);
  if (asset === null) throw new ChorusError('not_found', 'The sound is gone.');
  const pcm = await decoder.decode(sourceOf(assets, asset), {
    owner: scopeKey(owner),
    longestMs: VOICE_LIMITS.audioMs,
    signal,
  });
  const speech = await findSpeech(pcm, { marginMs: MARGIN_MS, signal });
  if (speech === null) throw nothingSaid();
  const call = { model, audio: speech, mediaType: 'audio/pcm' };
  const { text, language, usage } = await providers.transcribe(call, { signal, executionId, user: owner.user_id });
  if (text.trim() === '') throw nothingSaid();
  const duration_ms = Math.round(durationMs(pcm));
  return { heard: { type: 'transcript', text: text.trim(), model, language, duration_ms }, usage };
}

function sourceOf(assets: VoiceParts['assets'], asset: AssetRecord) {
  const read = async (start: number, end: number) => buffer(await assets.read(asset, { start, end: end - 1 }));
  return { sizeBytes: asset.size_bytes, read };
}

function nothingSaid(): ChorusError {
  return new ChorusError('no_speech', 'Nothing was said in this sound.');
}
