import type { ImageModelV4, TranscriptionModelV4 } from '@ai-sdk/provider';
import type { CallFrame } from './call-attempts.ts';
import { type EmbeddingModels, embeddingPort } from './embedding-port.ts';
import { imagePort, type ShapeImage } from './image-port.ts';
import type { MediaPorts } from './provider-port.ts';
import { type SpeechModels, speechPort } from './speech-stream.ts';
import { transcriptionPort } from './transcription-port.ts';
import { type VideoModels, videoPorts } from './video-port.ts';

/** Makes the package's model of a name, for each job that the provider can do. */
export interface MediaModels {
  image?: { model(id: string): ImageModelV4; shape: ShapeImage };
  video?: VideoModels;
  speech?: SpeechModels;
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
    ports.streamSpeech = speechPort(frame, speech);
    ports.voices = () => speech.voices;
  }
  if (transcription) ports.transcribe = transcriptionPort(frame, transcription);
  if (embedding) ports.embed = embeddingPort(frame, embedding);
  return ports;
}
