export { LaneWait } from '@chorus/lanes';
export type {
  BatchAnswer,
  BatchEndpoint,
  BatchOperation,
  BatchRequest,
  BatchResult,
  BatchState,
  PlannedRequest,
  StagedBatch,
} from './batches/batch-port.ts';
export type { Batches } from './batches/batches.ts';
export { type CallGate, openGate } from './call-gate.ts';
export type { CallObserver } from './call-observer.ts';
export type { EmbeddedTexts } from './embed-texts.ts';
export { HeldPermit } from './held-permit.ts';
export { JointCalls } from './joint-calls.ts';
export { type OpenedProviders, openProviders, withProviders } from './open-providers.ts';
export type {
  CallOptions,
  ChatCall,
  ChatPart,
  EmbeddingCall,
  EmbeddingPurpose,
  FinishReason,
  GeneratedImage,
  GeneratedSpeech,
  ImageCall,
  InputImage,
  LiveTranscription,
  RenderedVideo,
  SpeechCall,
  StartedVideo,
  Transcript,
  VideoCall,
  VideoOperation,
  VideoState,
} from './provider-port.ts';
export { createProviders, type Providers } from './providers.ts';
