import { PCM16, SPEECH_RATE } from '@chorus/contract';
import type { TranscriptionCall } from './provider-port.ts';

/** Compressed speech has at least 1,000 bytes for each second. */
const LEAST_BYTES_PER_S = 1_000;

/** Returns the most seconds that a sound can last. Exact for plain samples. */
export const mostSeconds = ({ audio, mediaType }: Pick<TranscriptionCall, 'audio' | 'mediaType'>): number =>
  audio.length / (mediaType === PCM16 ? SPEECH_RATE * 2 : LEAST_BYTES_PER_S);
