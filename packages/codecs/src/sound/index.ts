export { registerSoundCodecs } from './register.ts';
