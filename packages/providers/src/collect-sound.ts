import { ChorusError, SPEECH_RATE } from '@chorus/contract';
import {
  type GeneratedSpeech,
  type LiveTranscription,
  MAX_LIVE_S,
  type SpeechCall,
  type Transcript,
} from './provider-port.ts';
import { costOfSpeech } from './usage/prices.ts';

const MAX_BYTES = MAX_LIVE_S * SPEECH_RATE * 2;

/** Collects audio and transcribes it at the end, for models that cannot transcribe live. */
export function collectedTranscription(
  transcribe: (pcm16: Uint8Array, signal: AbortSignal) => Promise<Transcript>,
  signal: AbortSignal,
): LiveTranscription {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const closed = new AbortController();
  return {
    push(pcm16) {
      bytes += pcm16.length;
      if (bytes > MAX_BYTES) throw new ChorusError('payload_too_large', `Speech can be at most ${MAX_LIVE_S} s long`);
      pieces.push(pcm16.slice());
    },
    partials: (async function* () {})(),
    end: () => transcribe(Buffer.concat(pieces.splice(0)), AbortSignal.any([signal, closed.signal])),
    close() {
      closed.abort(new ChorusError('cancelled', 'The transcription was closed'));
      pieces.length = 0;
    },
  };
}

export async function collectSpeech(
  pieces: AsyncIterable<Uint8Array>,
  { model, text }: SpeechCall,
): Promise<GeneratedSpeech> {
  const audio = Buffer.concat(await Array.fromAsync(pieces));
  return {
    audio,
    durationMs: Math.round((audio.length / 2 / SPEECH_RATE) * 1_000),
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: costOfSpeech(model, text) },
  };
}
