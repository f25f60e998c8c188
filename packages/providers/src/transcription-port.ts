import type { TranscriptionModelV4 } from '@ai-sdk/provider';
import { PCM16, SPEECH_RATE } from '@chorus/contract';
import { cacheRecent } from './cache-recent.ts';
import { type CallFrame, callModel } from './call-attempts.ts';
import { costOfTranscript } from './prices.ts';
import type { MediaPorts } from './provider-port.ts';

/** Transcribes with a package's models. Plain samples are sent as a WAV file, which all of them read. */
export function transcriptionPort(
  frame: CallFrame,
  make: (id: string) => TranscriptionModelV4,
): Required<MediaPorts>['transcribe'] {
  const modelOf = cacheRecent(make);
  return async ({ model, audio, mediaType }, options) => {
    const plain = mediaType === PCM16;
    const file = plain ? { audio: toWav(audio, SPEECH_RATE), mediaType: 'audio/wav' } : { audio, mediaType };
    const result = await callModel(frame, options, (abortSignal) =>
      modelOf(model).doGenerate({ ...file, abortSignal }),
    );
    const durationS = plain ? audio.length / 2 / SPEECH_RATE : (result.durationInSeconds ?? null);
    return {
      text: result.text.trim(),
      segments: result.segments,
      language: result.language ?? null,
      durationS,
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        total_tokens: 0,
        cost_usd: costOfTranscript(`${frame.provider}/${model}`, durationS),
      },
    };
  };
}

/** Wraps mono pcm16 samples in a WAV file. @param rate samples per second */
export function toWav(pcm16: Uint8Array, rate: number): Uint8Array {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + pcm16.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // plain samples
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(pcm16.length, 40);
  return Buffer.concat([header, pcm16]);
}
