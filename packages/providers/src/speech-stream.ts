import type { SpeechModelV4, SpeechModelV4CallOptions } from '@ai-sdk/provider';
import { ChorusError, type SpeechOptions, type Voice } from '@chorus/contract';
import type { AnswerBody } from './answer-body.ts';
import { cacheRecent } from './cache-recent.ts';
import { CallAttempts, type CallFrame } from './call-attempts.ts';
import type { CallOptions, SpeechCall, SpeechPorts } from './provider-port.ts';
import { sectionsOf } from './sections-of.ts';

export interface SpeechModels {
  model(id: string): SpeechModelV4;
  /** Options for pcm16 at 24 kHz. */
  pcm: Pick<SpeechModelV4CallOptions, 'outputFormat' | 'providerOptions'>;
  /** Whether the response body is raw audio, which can be streamed. */
  streamsBody: boolean;
  /** Longer texts are spoken in several requests. */
  maxCharacters: number;
  voices(model: string): Voice[];
  options(model: string): SpeechOptions;
  /** Returns a voice as the provider expects it. Default: its name. */
  voiceParameter?(voice: string): unknown;
}

/** More than any single text. */
const MAX_BYTES = 100_000_000;

/** Prefixes of audio files that are not plain samples. */
const FILES = ['RIFF', 'ID3', 'OggS', 'fLaC', '\xff\xfb', '\xff\xf3', '\xff\xf1'];

/** Prefixes of JSON and web pages, in which servers report errors. Played as samples, they would be a loud noise. */
const TEXT = /^(?:\{["\s]|<[!h])[\x20-\x7e\s]{2}/i;

/** Speaks with a package's models. Intercepts the body, since the package would read the whole answer first. */
export function speechPort(frame: CallFrame, models: SpeechModels): Required<SpeechPorts>['streamSpeech'] {
  const modelOf = cacheRecent(models.model);
  return async function* (call: SpeechCall, options: CallOptions) {
    for (const [index, text] of sectionsOf(call.text, models.maxCharacters).entries())
      yield* speak({ ...call, text }, index === 0 ? options : { ...options, keepsResults: true });
  };

  async function* speak({ model, text, voice, speed, instructions }: SpeechCall, options: CallOptions) {
    const attempts = new CallAttempts(frame, options, { operation: 'speech', model });
    for (;;) {
      const attempt = await attempts.enter();
      let shown = false;
      let pauseMs: number;
      try {
        const { watch } = attempt;
        let body: AnswerBody | null = null;
        if (models.streamsBody)
          watch.bodyTaker = (taken) => {
            body = taken;
            return new Uint8Array();
          };
        const { audio } = await modelOf(model).doGenerate({
          text,
          ...models.pcm,
          ...(voice !== undefined && { voice: (models.voiceParameter?.(voice) ?? voice) as string }),
          ...(speed !== undefined && { speed }),
          ...(instructions !== undefined && { instructions }),
          abortSignal: watch.signal,
        });
        for await (const piece of wholeSamples(body ?? [bytesOf(audio)], frame.provider)) {
          if (!shown) attempt.pass.accepted();
          shown = true;
          yield piece;
          options.signal.throwIfAborted();
        }
        if (!shown) throw new ChorusError('provider_error', `${frame.provider} returned no sound`);
        attempts.succeeded(attempt);
        return;
      } catch (thrown) {
        pauseMs = attempts.failed(attempt, thrown, shown);
      } finally {
        attempts.leave(attempt);
      }
      await attempts.pause(pauseMs);
    }
  }
}

/** Splits bytes at whole samples. @throws ChorusError if they are not plain samples, or too many */
async function* wholeSamples(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  provider: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let rest: Uint8Array = new Uint8Array();
  let bytes = 0;
  for await (const piece of pieces) {
    const joined = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    if (bytes === 0 && joined.length >= 4) {
      const begin = Buffer.from(joined.subarray(0, 4)).toString('latin1');
      if (FILES.some((file) => begin.startsWith(file)))
        throw new ChorusError('provider_error', `${provider} returned a sound file instead of plain samples`);
      if (TEXT.test(begin)) throw new ChorusError('provider_error', `${provider} returned text instead of sound`);
    }
    const whole = joined.length < 4 && bytes === 0 ? 0 : joined.length - (joined.length % 2);
    rest = joined.subarray(whole);
    bytes += whole;
    if (bytes > MAX_BYTES) throw new ChorusError('provider_error', `${provider} returned too much sound`);
    if (whole > 0) yield joined.subarray(0, whole);
  }
  if (rest.length >= 2) yield rest.subarray(0, 2);
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'base64') : data;
}
