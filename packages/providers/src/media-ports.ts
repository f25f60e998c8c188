import type { EmbeddingModelV4, ImageModelV4, SpeechModelV4, TranscriptionModelV4 } from '@ai-sdk/provider';
import type { Usage } from '@chorus/contract';
import type { CallFrame } from './call-attempts.ts';
import { imagePort, type ShapeImage } from './image-port.ts';
import { callModel } from './model-call.ts';
import { costOf } from './prices.ts';
import type { MediaPorts } from './provider-port.ts';
import { recent } from './recent.ts';
import { type VideoModels, videoPorts } from './video-port.ts';

/** Makes the package's model of a name, for each job that the provider can do. */
export interface MediaModels {
  image?: { model(id: string): ImageModelV4; shape: ShapeImage };
  video?: VideoModels;
  speech?(id: string): SpeechModelV4;
  transcription?(id: string): TranscriptionModelV4;
  embedding?(id: string): EmbeddingModelV4;
}

/** The ports that a provider package's models fill; those that it lacks are absent. */
export function mediaPorts(frame: CallFrame, models: MediaModels): MediaPorts {
  const ports: MediaPorts = {};
  const { image, video, speech, transcription, embedding } = models;
  if (image) ports.generateImage = imagePort(frame, image.model, image.shape);
  if (video) Object.assign(ports, videoPorts(frame, video));
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

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'base64') : data;
}

function usageOf(input: number, output: number, cost: number | null): Usage {
  return { input_tokens: input, output_tokens: output, total_tokens: input + output, cost_usd: cost };
}
