import { KINDS } from '@chorus/contract';
import { z } from 'zod';
import type { NoEffect } from '../protocols/check-fields.ts';
import { defineEndpoint, type SentFile } from '../protocols/define-endpoint.ts';
import { namedModel } from '../protocols/named-model.ts';
import { presentTranscript, TRANSCRIPT_FORMATS, transcription } from './present-transcript.ts';
import { streamTranscript, transcriptFrame } from './stream-transcript.ts';

const { language, prompt, temperature, timestamp_granularities } = KINDS.transcription.request.shape;

const format = z.enum(TRANSCRIPT_FORMATS).nullish().describe('Default: `json`');

const FILE = 'Audio or video as the part `file`, up to two hours. ';

export const audioTranscriptions = defineEndpoint({
  kind: 'transcription',
  path: '/audio/transcriptions',
  summary: 'Transcribe audio',
  description: `${FILE}\`srt\` and \`vtt\` have the times that the model reports; without any, one cue. A stream needs \`json\` or \`text\`; other formats are answered whole.`,
  file: {},
  fieldNames: { asset_id: 'file' },
  body: z
    .looseObject({
      model: namedModel,
      language: language.nullish(),
      prompt: prompt.nullish(),
      response_format: format,
      temperature: temperature.nullish(),
      timestamp_granularities: timestamp_granularities.nullish(),
      stream: z.boolean().nullish(),
    })
    .refine(
      ({ response_format, timestamp_granularities: wanted }) =>
        response_format === 'verbose_json' || !wanted?.includes('word'),
      { path: ['timestamp_granularities'], error: '`word` needs the `response_format` `verbose_json`' },
    ),
  refused: {
    include: isEmpty,
    chunking_strategy: (value) => value === 'auto',
    keywords: isEmpty,
    languages: isEmpty,
    known_speaker_names: isEmpty,
    known_speaker_references: isEmpty,
  },
  answer: transcription,
  streams: transcriptFrame,
  translate: (body, files) => ({
    ...common(body, files),
    task: 'transcribe' as const,
    ...(body.language != null && { language: body.language }),
    ...(body.timestamp_granularities != null && { timestamp_granularities: body.timestamp_granularities }),
  }),
  presenter: ({ response_format, timestamp_granularities: wanted, temperature: asked }) =>
    presentTranscript('transcribe', response_format ?? 'json', asked ?? 0, wanted ?? ['segment']),
  streamer: ({ stream, response_format }) => {
    const isText = response_format == null || response_format === 'json' || response_format === 'text';
    return stream === true && isText ? streamTranscript : null;
  },
});

export const audioTranslations = defineEndpoint({
  kind: 'transcription',
  path: '/audio/translations',
  summary: 'Translate audio into English',
  description: `${FILE}Only Whisper models can translate.`,
  file: {},
  fieldNames: { asset_id: 'file' },
  body: z.looseObject({
    model: namedModel,
    prompt: prompt.nullish(),
    response_format: format,
    temperature: temperature.nullish(),
  }),
  answer: transcription,
  translate: (body, files) => ({ ...common(body, files), task: 'translate' as const }),
  presenter: ({ response_format, temperature: asked }) =>
    presentTranscript('translate', response_format ?? 'json', asked ?? 0, ['segment']),
});

function common(
  asked: { model: string; prompt?: string | null | undefined; temperature?: number | null | undefined },
  [file]: readonly SentFile[],
) {
  return {
    asset_id: file?.asset.id ?? '',
    model: asked.model,
    stream: false,
    metadata: {},
    ...(asked.prompt != null && { prompt: asked.prompt }),
    ...(asked.temperature != null && { temperature: asked.temperature }),
  };
}

/** Lists of a form may have one empty item. */
function isEmpty(value: Parameters<NoEffect>[0]): boolean {
  return [value].flat().every((item) => item === '');
}
