import { type MadeSpeech, SPEECH_RATE, type SpeechCall } from './speech-port.ts';
import { costOfSpeech } from './speech-prices.ts';

/** A stream of speech as a whole. */
export async function collectSpeech(
  pieces: AsyncIterable<Uint8Array>,
  { model, text }: SpeechCall,
): Promise<MadeSpeech> {
  const audio = Buffer.concat(await Array.fromAsync(pieces));
  return {
    audio,
    durationMs: Math.round((audio.length / 2 / SPEECH_RATE) * 1_000),
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: costOfSpeech(model, text) },
  };
}
