import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import type { TranscriptionOptions } from '@chorus/contract';
import { z } from 'zod';
import { callFetch } from '../call-fetch.ts';
import type { TranscriptionCall } from '../provider-port.ts';
import type { TranscriptionModels } from '../transcription-port.ts';

type Transcription = Omit<TranscriptionModels, 'model' | 'translator'>;

const isWhisper = (model: string) => /whisper/i.test(model);

const WHISPER: TranscriptionOptions = {
  languages: null,
  prompt: true,
  temperature: true,
  timestamps: ['segment', 'word'],
  translates: true,
};

/** Only Whisper reports times, and only it translates. */
export const openaiTranscription: Transcription = {
  options: (model) =>
    isWhisper(model) ? WHISPER : { ...WHISPER, prompt: !model.includes('diarize'), timestamps: [], translates: false },
  request(call): SharedV4ProviderOptions {
    const { language, ...rest } = requestOf(call);
    if (language === undefined) return Object.keys(rest).length > 0 ? { openai: rest } : {};
    // Newer models expect a list.
    return {
      openai: { ...rest, ...(call.model.startsWith('gpt-transcribe') ? { languages: [language] } : { language }) },
    };
  },
};

/** The faster models do not translate. */
export const groqTranscription: Transcription = {
  options: (model) => ({ ...WHISPER, translates: !/turbo|distil/i.test(model) }),
  request: (call) => ({ groq: requestOf(call) }),
  words: ({ response }) => timedWords.safeParse(response.body).data ?? [],
};

function requestOf({ model, language, prompt, temperature, words }: TranscriptionCall) {
  return {
    ...(language !== undefined && { language }),
    ...(prompt !== undefined && { prompt }),
    ...(temperature !== undefined && { temperature }),
    ...(isWhisper(model) && {
      responseFormat: 'verbose_json',
      timestampGranularities: words ? ['segment', 'word'] : ['segment'],
    }),
  };
}

const timedWords = z
  .object({ words: z.array(z.object({ word: z.string(), start: z.number(), end: z.number() })) })
  .transform(({ words }) => words.map(({ word, start, end }) => ({ text: word, startSecond: start, endSecond: end })));

/** Sends a package's requests for transcripts to the route for translations, without the fields it lacks. */
export const toTranslations: typeof fetch = (input, init) => {
  if (init?.body instanceof FormData)
    for (const name of ['language', 'timestamp_granularities[]']) init.body.delete(name);
  const url = String(input instanceof Request ? input.url : input);
  return callFetch(url.replace(/\/audio\/transcriptions$/, '/audio/translations'), init);
};
