export { createVoiceSocket, mountVoice, type VoiceSocket } from './mount-voice.ts';
export type { VoiceServices } from './voice-services.ts';
