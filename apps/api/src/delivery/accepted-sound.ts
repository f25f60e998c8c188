import type { SpeechFormat } from '@chorus/contract';

const FORMATS: Readonly<Record<string, SpeechFormat>> = {
  'audio/*': 'mp3',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/ogg': 'opus',
  'audio/opus': 'opus',
  'audio/aac': 'aac',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/pcm': 'pcm',
  'audio/l16': 'pcm',
};

/** The format of sound that a client would rather have than anything else, from its `Accept`; null: it does not want sound first. */
export function acceptedSound(accept: string | undefined): SpeechFormat | null {
  const ranges = (accept ?? '').split(',').flatMap((range, place) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
    return name === '' || !(weight > 0) ? [] : [{ name, weight, place }];
  });
  ranges.sort((one, other) => other.weight - one.weight || one.place - other.place);
  if (!ranges[0]?.name.startsWith('audio/')) return null;
  for (const { name } of ranges) if (FORMATS[name] !== undefined) return FORMATS[name];
  return null;
}
