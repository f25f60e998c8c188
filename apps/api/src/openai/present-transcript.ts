import { ChorusError, type TimedText, type TranscriptItem } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { z } from 'zod';
import type { Present } from '../protocols/run-work.ts';
import { subRip, webVtt } from './subtitles.ts';

export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const;
type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

const duration = z.object({ type: z.literal('duration'), seconds: z.int() });
const tokens = z.object({
  type: z.literal('tokens'),
  input_tokens: z.int(),
  output_tokens: z.int(),
  total_tokens: z.int(),
});

export const transcriptUsage = z.union([tokens, duration]);

/** Models that report no such figures get neutral ones. */
const segment = z.object({
  id: z.int(),
  seek: z.int(),
  start: z.number().describe('Seconds'),
  end: z.number(),
  text: z.string(),
  tokens: z.array(z.int()).max(0),
  temperature: z.number(),
  avg_logprob: z.number(),
  compression_ratio: z.number(),
  no_speech_prob: z.number(),
});

const word = z.object({ word: z.string(), start: z.number(), end: z.number() });

export const transcription = z.union([
  z.object({ text: z.string(), usage: transcriptUsage }).describe('`json`'),
  z
    .object({
      task: z.enum(['transcribe', 'translate']),
      language: z.string().describe('English name; `unknown` if the model does not report it'),
      duration: z.number().describe('Seconds'),
      text: z.string(),
      segments: z.array(segment).max(20_000).optional(),
      words: z.array(word).max(50_000).optional(),
      usage: duration,
    })
    .describe('`verbose_json`'),
  z.string().describe('`text`, `srt`, `vtt`'),
]);

/** Created at first use, because the first one in a process takes 30 ms. */
let languageNames: Intl.DisplayNames | undefined;

const TEXT_TYPES = { text: 'text/plain', srt: 'application/x-subrip', vtt: 'text/vtt' } as const;

/**
 * Presents a transcript in one of OpenAI's formats.
 * @param granularities units whose times `verbose_json` includes
 */
export function presentTranscript(
  task: 'transcribe' | 'translate',
  format: TranscriptFormat,
  temperature: number,
  granularities: readonly ('segment' | 'word')[],
): Present {
  return (record, { response }) => {
    const item = transcriptOf(record);
    if (format === 'json') return { text: item.text, usage: usageOf(record, item) };
    if (format === 'verbose_json') return verbose(task, item, temperature, granularities);
    const text = format === 'text' ? `${item.text}\n` : format === 'srt' ? subRip(cuesOf(item)) : webVtt(cuesOf(item));
    response.setHeader('Content-Type', `${TEXT_TYPES[format]}; charset=utf-8`);
    response.end(text);
    return undefined;
  };
}

/** @throws {ChorusError} not_found */
export function transcriptOf({ output }: ExecutionRecord): TranscriptItem {
  const item = output.find(({ type }) => type === 'transcript');
  if (item?.type !== 'transcript') throw new ChorusError('not_found', 'The transcript has been deleted.');
  return item;
}

export function usageOf({ usage }: ExecutionRecord, item: TranscriptItem): z.infer<typeof transcriptUsage> {
  const { input_tokens, output_tokens, total_tokens } = usage;
  return total_tokens > 0 ? { type: 'tokens', input_tokens, output_tokens, total_tokens } : durationOf(item);
}
const durationOf = ({ duration_ms }: TranscriptItem) =>
  ({ type: 'duration', seconds: Math.ceil(duration_ms / 1_000) }) as const;

const timesOf = ({ start_ms, end_ms }: TimedText) => ({ start: start_ms / 1_000, end: end_ms / 1_000 });

function verbose(
  task: 'transcribe' | 'translate',
  item: TranscriptItem,
  temperature: number,
  granularities: readonly ('segment' | 'word')[],
) {
  const { text, language, duration_ms, words = [] } = item;
  const segments = cuesOf(item).map((cue, id) => ({
    id,
    seek: 0,
    ...timesOf(cue),
    text: cue.text,
    tokens: [],
    temperature,
    avg_logprob: 0,
    compression_ratio: 1,
    no_speech_prob: 0,
  }));
  languageNames ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  return {
    task,
    language: (language && languageNames.of(language)?.toLowerCase()) ?? 'unknown',
    duration: duration_ms / 1_000,
    text,
    ...((granularities.includes('segment') || granularities.length === 0) && { segments }),
    ...(granularities.includes('word') && {
      words: words.map((timed) => ({ word: timed.text, ...timesOf(timed) })),
    }),
    usage: durationOf(item),
  };
}

/** Returns the segments, or one for the whole text if the model reports none. */
function cuesOf({ text, segments = [], duration_ms }: TranscriptItem): readonly TimedText[] {
  if (segments.length > 0 || text === '') return segments;
  return [{ text, start_ms: 0, end_ms: duration_ms }];
}
