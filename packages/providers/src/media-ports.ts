import type { ImageModelV4, SpeechModelV4, TranscriptionModelV4 } from '@ai-sdk/provider';
import type { CallFrame } from './call-attempts.ts';
import { type EmbeddingModels, embeddingPort } from './embedding-port.ts';
import { imagePort, type ShapeImage } from './image-port.ts';
import { callModel } from './model-call.ts';
import type { MediaPorts } from './provider-port.ts';
import { recent } from './recent.ts';
import { type VideoModels, videoPorts } from './video-port.ts';

/** Makes the package's model of a name, for each job that the provider can do. */
export interface MediaModels {
  image?: { model(id: string): ImageModelV4; shape: ShapeImage };
  video?: VideoModels;
  speech?(id: string): SpeechModelV4;
  transcription?(id: string): TranscriptionModelV4;
  embedding?: EmbeddingModels;
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
  if (embedding) ports.embed = embeddingPort(frame, embedding);
  return ports;
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === 'string' ? Buffer.from(data, 'base64') : data;
}
