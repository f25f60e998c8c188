import { buffer } from 'node:stream/consumers';
import { ChorusError, type TranscriptItem, type VoiceTurnInput } from '@chorus/contract';
import type { JobContext } from '@chorus/worker-kit';
import type { VoiceParts } from './voice-parts.ts';

type Audio = Extract<VoiceTurnInput['said'], { type: 'audio' }>;

/** What is said in a sound that was uploaded. @throws {ChorusError} not_found, no_speech, and what the model throws */
export async function hearSaid(
  { assets, providers }: Pick<VoiceParts, 'assets' | 'providers'>,
  { owner, executionId, signal }: Pick<JobContext<'voice.turn'>, 'owner' | 'executionId' | 'signal'>,
  { asset_id, model }: Audio,
): Promise<TranscriptItem> {
  const asset = await assets.get(owner, asset_id);
  if (asset === null) throw new ChorusError('not_found', 'The sound is gone.');
  const audio = await buffer(await assets.read(asset));
  const call = { model, audio, mediaType: asset.mime_type };
  const heard = await providers.transcribe(call, { signal, executionId });
  const text = heard.text.trim();
  if (text === '') throw new ChorusError('no_speech', 'Nothing was said in this sound.');
  const duration_ms = asset.duration_ms ?? Math.round((heard.durationS ?? 0) * 1_000);
  return { type: 'transcript', text, model, language: heard.language, duration_ms };
}
