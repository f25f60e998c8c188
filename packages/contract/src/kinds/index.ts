/** All kinds of work, one line each. */
export * from './chat-completion.ts';
export * from './chat-title.ts';
export * from './embedding.ts';
export * from './iris-image.ts';
export * from './iris-ocr.ts';
export * from './iris-upscale.ts';
export * from './iris-verify.ts';
export * from './iris-video.ts';
export * from './knowledge-ask.ts';
export * from './knowledge-ingest.ts';
export * from './knowledge-read.ts';
export * from './knowledge-search.ts';
export * from './response.ts';
export * from './speech.ts';
export * from './transcription.ts';
export * from './voice-turn.ts';
