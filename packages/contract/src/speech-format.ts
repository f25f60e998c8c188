/** How speech is given out: as OpenAI's speech API names them. `pcm`: 16 bits, little endian, 24,000 a second, one channel, without a header. */
export const SPEECH_FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'] as const;
export type SpeechFormat = (typeof SPEECH_FORMATS)[number];

/** Media type of each as a stream, and as a file with the end of its name; bare samples are a WAV file. */
export const SPEECH_TYPES: Readonly<Record<SpeechFormat, { stream: string; file: string; extension: string }>> = {
  mp3: { stream: 'audio/mpeg', file: 'audio/mpeg', extension: 'mp3' },
  opus: { stream: 'audio/ogg; codecs=opus', file: 'audio/ogg', extension: 'ogg' },
  aac: { stream: 'audio/aac', file: 'audio/aac', extension: 'aac' },
  flac: { stream: 'audio/flac', file: 'audio/flac', extension: 'flac' },
  wav: { stream: 'audio/wav', file: 'audio/wav', extension: 'wav' },
  pcm: { stream: 'audio/pcm; rate=24000', file: 'audio/wav', extension: 'wav' },
};
