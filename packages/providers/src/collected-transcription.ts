import { ChorusError } from '@chorus/contract';
import { type LiveTranscription, MAX_LIVE_S, SPEECH_RATE, type Transcript } from './speech-port.ts';

const MAX_BYTES = MAX_LIVE_S * SPEECH_RATE * 2;

/** What is pushed is kept, and written down in one go at the end: for models that can't listen while it is spoken. */
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
      if (bytes > MAX_BYTES) throw tooLong();
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

export function tooLong(): ChorusError {
  return new ChorusError('payload_too_large', `Speech may be ${MAX_LIVE_S} s long`);
}
