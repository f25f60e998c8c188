import type { JSONObject, SharedV4ProviderOptions, TranscriptionModelV4 } from '@ai-sdk/provider';
import { ChorusError, PCM16, SPEECH_RATE, type TranscriptionOptions, type Usage } from '@chorus/contract';
import { cacheRecent } from './cache-recent.ts';
import { type CallFrame, callModel } from './call-attempts.ts';
import { languageCode } from './language-code.ts';
import { mostSeconds } from './most-seconds.ts';
import type { MediaPorts, TimedSpeech, Transcript, TranscriptionCall } from './provider-port.ts';
import { segmentsOf } from './segments-of.ts';
import { tokens } from './to-usage.ts';
import { costOfTranscript } from './usage/prices.ts';

type Result = Awaited<ReturnType<TranscriptionModelV4['doGenerate']>>;

export interface TranscriptionModels {
  model(id: string): TranscriptionModelV4;
  /** Creates models that translate into English. */
  translator?(id: string): TranscriptionModelV4;
  options(model: string): TranscriptionOptions;
  /** Returns the options of a request in the provider's form. */
  request(call: TranscriptionCall): SharedV4ProviderOptions;
  /** Returns words with their times. Default: those from the package. */
  words?(result: Result): TimedSpeech[];
  /** Whether the package returns words in place of segments. */
  timesWords?: boolean;
}

/** Transcribes with a package's models. Plain samples are sent as a WAV file, which all of them accept. */
export function transcriptionPort(
  frame: CallFrame,
  { model: make, translator, request, words: wordsOf, timesWords = false }: TranscriptionModels,
): Required<MediaPorts>['transcribe'] {
  const transcriber = cacheRecent(make);
  const translate = translator && cacheRecent(translator);
  return async (call, options) => {
    const { model, audio, mediaType, task = 'transcribe' } = call;
    const modelOf = task === 'translate' ? translate : transcriber;
    if (modelOf === undefined) throw new ChorusError('invalid_request', `${model} cannot translate`);
    const plain = mediaType === PCM16;
    const file = plain ? { audio: toWav(audio, SPEECH_RATE), mediaType: 'audio/wav' } : { audio, mediaType };
    const result = await callModel(frame, options, { operation: 'transcription', model }, (abortSignal) =>
      modelOf(model).doGenerate({ ...file, providerOptions: request(call), abortSignal }),
    );
    const durationS = plain ? audio.length / 2 / SPEECH_RATE : (result.durationInSeconds ?? null);
    // An upper bound, if the provider does not report the length.
    const pricedS = durationS ?? mostSeconds(call);
    const words = spoken(wordsOf?.(result) ?? (timesWords ? result.segments : (result.words ?? [])));
    return {
      text: result.text.trim(),
      segments: timesWords ? segmentsOf(words) : spoken(result.segments),
      words: call.words ? words : [],
      language: task === 'translate' ? 'en' : languageCode(result.language),
      durationS,
      usage: {
        ...usageOf(result.usage, costOfTranscript(`${frame.provider}/${model}`, pricedS)),
        ...(durationS === null && { estimated: true }),
      },
    } satisfies Transcript;
  };
}

/** Drops entries without speech, such as the spaces that some providers list. */
function spoken(all: readonly TimedSpeech[]): TimedSpeech[] {
  return all.flatMap(({ text, ...times }) => (text.trim() === '' ? [] : [{ ...times, text: text.trim() }]));
}

/** Reads token counts in OpenAI's form. */
function usageOf(given: JSONObject | undefined, cost_usd: number | null): Usage {
  const [input_tokens, output_tokens] = [tokens(given?.input_tokens), tokens(given?.output_tokens)];
  return { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens, cost_usd };
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
