export { voiceTurn as 'voice.turn' } from './voice-turn.ts';
