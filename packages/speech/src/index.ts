export { SoundDecoder } from './files/sound-decoder.ts';
export { createSpeechEncoder, type SpeechEncoder } from './files/speech-encoder.ts';
export { findSpeech } from './listen/find-speech.ts';
export { TurnDetector, type TurnEvent } from './listen/turn-detector.ts';
export {
  DEFAULT_TURN_DETECTION,
  type TurnDetection,
  type TurnThresholds,
  thresholdsOf,
  turnDetection,
} from './listen/turn-settings.ts';
export { FRAME_MS, loadVoiceActivity, type VoiceActivity, type VoiceActivityModel } from './listen/voice-activity.ts';
export { bytesOf, durationMs, SAMPLE_RATE } from './pcm.ts';
export { PlayoutClock } from './play/playout-clock.ts';
export { type Heard, PlayoutMap } from './play/playout-map.ts';
export { type Clause, ClauseCutter } from './text/clause-cutter.ts';
