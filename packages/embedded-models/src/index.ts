export { streamAnswer } from './assistant/stream-answer.ts';
export { drawImage, drawVideo } from './drawing.ts';
export { LocalModel } from './local-model/local-model.ts';
export { EmbeddedSpeech } from './speech/embedded-speech.ts';
export { SentenceEncoder } from './use-lite/sentence-encoder.ts';
export { WeightStore } from './weights/weight-store.ts';
