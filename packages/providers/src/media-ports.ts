import { setTimeout as pause } from 'node:timers/promises';
import type {
  EmbeddingModelV4,
  ImageModelV4,
  SpeechModelV4,
  TranscriptionModelV4,
  Experimental_VideoModelV4 as VideoModelV4,
} from '@ai-sdk/provider';
import { ChorusError, type Usage } from '@chorus/contract';
import type { CallFrame } from './call-attempts.ts';
import { callModel } from './model-call.ts';
import { costOf } from './prices.ts';
import type { CallOptions, MediaPorts, VideoCall } from './provider-port.ts';
import { recent } from './recent.ts';

/** A video is handed in and asked for until it is there. */
type VideoQueue = Pick<VideoModelV4, 'doStart' | 'doStatus'>;

/** Makes the package's model of a name, for each job that the provider can do. */
export interface MediaModels {
  image?(id: string): ImageModelV4;
  video?(id: string): VideoQueue;
  speech?(id: string): SpeechModelV4;
  transcription?(id: string): TranscriptionModelV4;
  embedding?(id: string): EmbeddingModelV4;
}

/** How often a video that is being made is asked for. */
const VIDEO_POLL_MS = 1_000;

/** The ports that a provider package's models fill; those that it lacks are absent. */
export function mediaPorts(frame: CallFrame, models: MediaModels): MediaPorts {
  const ports: MediaPorts = {};
  const { image, video, speech, transcription, embedding } = models;
  if (image) {
    const modelOf = recent(image);
    ports.generateImage = async ({ model, prompt, n, size, seed }, options) => {
      const result = await callModel(frame, options, (abortSignal) =>
        modelOf(model).doGenerate({
          prompt,
          n,
          size: size && `${size.width}x${size.height}`,
          seed,
          aspectRatio: undefined,
          files: undefined,
          mask: undefined,
          providerOptions: {},
          abortSignal,
        }),
      );
      const { inputTokens = 0, outputTokens = 0 } = result.usage ?? {};
      return { images: result.images.map(bytesOf), usage: usageOf(inputTokens, outputTokens, null) };
    };
  }
  if (video) {
    const modelOf = recent(video);
    ports.generateVideo = (call, options) => makeVideo(frame, modelOf(call.model), call, options);
  }
  if (speech) {
    const modelOf = recent(speech);
    ports.generateSpeech = async ({ model, text, voice, format }, options) => {
      const result = await callModel(frame, options, (abortSignal) =>
        modelOf(model).doGenerate({
          text,
          ...(voice !== undefined && { voice }),
          ...(format !== undefined && { outputFormat: format }),
          abortSignal,
        }),
      );
      return { audio: bytesOf(result.audio) };
    };
  }
  if (transcription) {
    const modelOf = recent(transcription);
    ports.transcribe = async ({ model, audio, mediaType }, options) => {
      const { text, segments, language, durationInSeconds } = await callModel(frame, options, (abortSignal) =>
        modelOf(model).doGenerate({ audio, mediaType, abortSignal }),
      );
      return { text, segments, language: language ?? null, durationS: durationInSeconds ?? null };
    };
  }
  if (embedding) {
    const modelOf = recent(embedding);
    ports.embed = async ({ model, values }, options) => {
      const most = (await modelOf(model).maxEmbeddingsPerCall) ?? values.length;
      const embeddings: number[][] = [];
      let tokens = 0;
      for (let at = 0; at < values.length; at += most) {
        const result = await callModel(frame, options, (abortSignal) =>
          modelOf(model).doEmbed({ values: values.slice(at, at + most), abortSignal }),
        );
        embeddings.push(...result.embeddings);
        tokens += result.usage?.tokens ?? 0;
      }
      const cost = costOf(`${frame.provider}/${model}`, { input: tokens, cached: 0, written: 0, output: 0 });
      return { embeddings, usage: usageOf(tokens, 0, tokens > 0 ? cost : null) };
    };
  }
  return ports;
}

/** Hands the work in, once, and asks for it until it is there. */
async function makeVideo(
  frame: CallFrame,
  model: VideoQueue,
  { prompt, durationS }: VideoCall,
  options: CallOptions,
): Promise<{ url: string; mediaType: string }> {
  const { doStart, doStatus } = model;
  if (!doStart || !doStatus) throw new ChorusError('invalid_request', `${frame.provider} does not make videos so`);
  const { operation } = await callModel(frame, options, (abortSignal) =>
    doStart.call(model, {
      prompt,
      n: 1,
      duration: durationS,
      aspectRatio: undefined,
      resolution: undefined,
      fps: undefined,
      seed: undefined,
      image: undefined,
      frameImages: undefined,
      inputReferences: undefined,
      generateAudio: undefined,
      providerOptions: {},
      abortSignal,
    }),
  );
  for (;;) {
    const state = await callModel(frame, options, async (abortSignal) => {
      const told = await doStatus.call(model, { operation, abortSignal });
      if (told.status === 'error') throw told.error; // the provider's words
      return told;
    });
    if (state.status === 'completed') {
      const made = state.videos[0];
      if (made?.type !== 'url') throw new ChorusError('provider_error', `${frame.provider} gave no video`);
      return { url: made.url, mediaType: made.mediaType };
    }
    await pause(VIDEO_POLL_MS, undefined, { signal: options.signal }).catch(() => options.signal.throwIfAborted());
  }
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'base64') : data;
}

function usageOf(input: number, output: number, cost: number | null): Usage {
  return { input_tokens: input, output_tokens: output, total_tokens: input + output, cost_usd: cost };
}
