export { speech } from './speech.ts';
export { transcription } from './transcription.ts';
export { voiceTurn as 'voice.turn' } from './voice-turn.ts';
