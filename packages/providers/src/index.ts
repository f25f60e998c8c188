export type { EmbeddedTexts } from './embed-texts.ts';
export { createSharedGates } from './gate/shared-gates.ts';
export { openProviders } from './open-providers.ts';
export type {
  CallOptions,
  ChatCall,
  ChatPart,
  EmbeddingCall,
  EmbeddingPurpose,
  FinishReason,
  GivenImage,
  ImageCall,
  MadeImage,
  RenderedVideo,
  StartedVideo,
  VideoCall,
  VideoOperation,
  VideoState,
} from './provider-port.ts';
export { createProviders, type Providers } from './providers.ts';
export {
  type LiveTranscription,
  MAX_LIVE_S,
  type MadeSpeech,
  PCM16,
  SPEECH_RATE,
  type SpeechCall,
  type Transcript,
  type Voice,
} from './speech-port.ts';
