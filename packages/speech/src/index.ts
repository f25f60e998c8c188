export { type Clause, ClauseCutter } from './clause-cutter.ts';
export { bytesOf, durationMs, SAMPLE_RATE } from './pcm.ts';
export { createSpeechEncoder, type SpeechEncoder } from './speech-encoder.ts';
export { wavHeader } from './wav.ts';
