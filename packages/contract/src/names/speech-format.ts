/** Samples per second of pcm16 speech: signed 16-bit, little endian, one channel. */
export const SPEECH_RATE = 24_000;

export const PCM16 = 'audio/pcm';

/**
 * Speech formats, named as in OpenAI's speech API. `pcm`: 16-bit little endian, 24,000 samples a second, one
 * channel, no header.
 */
export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];

/** Media types of each format as a stream and as a file, with the file extension. As a file, `pcm` becomes WAV. */
export const SPEECH_TYPES: Readonly<Record<SpeechFormat, { stream: string; file: string; extension: string }>> = {
  mp3: { stream: 'audio/mpeg', file: 'audio/mpeg', extension: 'mp3' },
  opus: { stream: 'audio/ogg; codecs=opus', file: 'audio/ogg', extension: 'ogg' },
  aac: { stream: 'audio/aac', file: 'audio/aac', extension: 'aac' },
  flac: { stream: 'audio/flac', file: 'audio/flac', extension: 'flac' },
  wav: { stream: 'audio/wav', file: 'audio/wav', extension: 'wav' },
  pcm: { stream: 'audio/pcm; rate=24000', file: 'audio/wav', extension: 'wav' },
};

/** Voices of OpenAI's speech API. Every speech model accepts these names, and uses its nearest voice. */
export const OPENAI_VOICES = [
  ...['alloy', 'ash', 'ballad', 'cedar', 'coral', 'echo', 'fable'],
  ...['marin', 'nova', 'onyx', 'sage', 'shimmer', 'verse'],
] as const;
