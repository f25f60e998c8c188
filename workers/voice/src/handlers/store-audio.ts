import { assetFactsOf } from '@chorus/assets';
import { type AssetFacts, type JobKind, SPEECH_TYPES, type SpeechFormat, titleFrom } from '@chorus/contract';
import { type JobContext, persist } from '@chorus/worker-kit';
import type { VoiceParts } from './voice-parts.ts';

export interface SpokenFile {
  /** The speech model. */
  model: string;
  format: SpeechFormat;
  file: Uint8Array;
  durationMs: number;
  said: string;
  /** Place in the output. */
  index: number;
}

/**
 * Signs spoken audio if its format supports that, and stores it with its provenance.
 * Retries for a minute, because the audio was paid for.
 *
 * @throws {ChorusError} store_unavailable
 */
export async function storeAudio(
  { assets, provenance }: Pick<VoiceParts, 'assets' | 'provenance'>,
  { owner, executionId, signal }: Pick<JobContext<JobKind>, 'owner' | 'executionId' | 'signal'>,
  { model, format, ...sound }: SpokenFile,
): Promise<AssetFacts> {
  const { file: mime, extension } = SPEECH_TYPES[format];
  const making = {
    mime,
    executionId,
    model,
    procedural: model === 'embedded/flite',
    perceptualHash: null,
  };
  const { body, unsignedSha256 } = await provenance.sign(sound.file, making, signal);
  const asset = await persist(
    () =>
      assets.create({
        owner,
        body,
        filename: `${nameOf(sound.said)}.${extension}`,
        executionId,
        outputIndex: sound.index,
        facts: { duration_ms: sound.durationMs },
      }),
    () => !signal.aborted,
  );
  await persist(() => provenance.recordGenerated({ asset, executionId, model, unsignedSha256, perceptualHash: null }));
  return assetFactsOf(asset);
}

/** Returns why audio of this format is not signed, if it would be elsewhere. */
export const unsignedWarnings = ({ provenance }: Pick<VoiceParts, 'provenance'>, format: SpeechFormat) =>
  format === 'mp3' || format === 'wav' || format === 'pcm' ? provenance.warnings : [];

/** Names the file after the first words. */
function nameOf(said: string): string {
  const words = titleFrom(said)
    ?.toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return words?.slice(0, 6).join('-').slice(0, 60).toWellFormed() || 'speech';
}
