import type { TranscriptionModelV4 } from '@ai-sdk/provider';
import type { CallFrame } from './call-attempts.ts';
import { callModel } from './model-call.ts';
import type { MediaPorts } from './provider-port.ts';
import { recent } from './recent.ts';
import { PCM16, SPEECH_RATE } from './speech-port.ts';
import { costOfTranscript } from './speech-prices.ts';
import { toWav } from './wav.ts';

/** Transcripts by the package's models. Plain samples go as a WAV file, which all of them read. */
export function transcriptionPort(
  frame: CallFrame,
  make: (id: string) => TranscriptionModelV4,
): Required<MediaPorts>['transcribe'] {
  const modelOf = recent(make);
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
