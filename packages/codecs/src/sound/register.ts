import { registerAacEncoder } from '@mediabunny/aac-encoder';
import { registerDecoder, registerEncoder } from 'mediabunny';
import { AacDecoder } from './aac-decoder.ts';
import { LibavDecoder } from './libav-decoder.ts';
import { LibavEncoder } from './libav-encoder.ts';

let hasSound = false;

/** Lets `mediabunny` decode and encode AAC, FLAC, MP3, and Opus. */
export function registerSoundCodecs(): void {
  if (hasSound) return;
  hasSound = true;
  registerDecoder(LibavDecoder);
  registerDecoder(AacDecoder);
  registerEncoder(LibavEncoder);
  registerAacEncoder();
}
