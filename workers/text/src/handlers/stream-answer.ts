import {
  type ChatMessage,
  type ChatSettings,
  ChorusError,
  type JobOutput,
  type knowledgeAsk,
  type response,
  type Usage,
} from '@chorus/contract';
import type { Providers } from '@chorus/providers';
import { NO_USAGE, sumUsage } from '@chorus/providers/usage';
import type { JobContext, JobResult } from '@chorus/worker-kit';
import { type AnswerOptions, AnswerOutput } from './answer-output.ts';

export interface AnswerCall extends AnswerOptions {
  model: string;
  messages: ChatMessage[];
  settings: ChatSettings;
  fallbacks: string[] | undefined;
  /** Whether an answer already shown may be taken back. */
  mayReset: boolean;
  /** Deadline by `performance.now()`. */
  endsAt: number;
  /** For the provider's cache of prompts. */
  cache?: { key: string; repeats?: boolean } | undefined;
  /** Usage of the turn before this answer. */
  spent?: Usage | undefined;
}

/** The result of an answer without tools on the server. */
export type AnswerResult = JobResult<JobOutput<typeof response.kind>>;

export type TurnJob = Pick<
  JobContext<typeof response.kind | typeof knowledgeAsk.kind>,
  'owner' | 'executionId' | 'caller' | 'signal' | 'emit' | 'note' | 'output'
>;

/** A rule-based model, which is skipped if there are sources. */
export const EXTRACTING_MODEL = 'embedded/assistant';

/**
 * Streams a model's answer, with each citation as soon as the text refers to it.
 *
 * @returns null if the turn with sources fell back to `EXTRACTING_MODEL`; nothing is shown then
 * @throws {ChorusError} as `Providers.streamChat`
 */
export function streamAnswer(
  providers: Pick<Providers, 'streamChat'>,
  job: TurnJob,
  call: AnswerCall & { sources?: undefined },
): Promise<AnswerResult>;
export function streamAnswer(
  providers: Pick<Providers, 'streamChat'>,
  job: TurnJob,
  call: AnswerCall,
): Promise<AnswerResult | null>;
export async function streamAnswer(
  providers: Pick<Providers, 'streamChat'>,
  job: TurnJob,
  call: AnswerCall,
): Promise<AnswerResult | null> {
  const streamed = await streamParts(providers, job, call);
  if (streamed === null) return null;
  const { answer, ...result } = streamed;
  const output = job.output();
  return { ...result, output: answer.saysSomething ? output : [...output, { type: 'text', text: '' }] };
}

/** A model's answer, with its parts shown. */
export interface StreamedAnswer extends Pick<AnswerResult, 'usage' | 'finish_reason' | 'stop_sequence'> {
  model: string;
  provider: string;
  answer: AnswerOutput;
}

/**
 * Streams a model's answer like `streamAnswer`.
 * @param onReset shows again everything before this answer
 */
export async function streamParts(
  providers: Pick<Providers, 'streamChat'>,
  { caller, signal, emit, note }: Omit<TurnJob, 'owner' | 'executionId' | 'output'>,
  { model, messages, settings, sources, textOnly, step, cache, spent, ...options }: AnswerCall,
  onReset?: () => void,
): Promise<StreamedAnswer | null> {
  let answering = answererOf(model);
  let finish: { reason: string; usage: Usage | null; stop_sequence?: string | undefined } | null = null;
  let answer = new AnswerOutput(emit, { sources, textOnly, step });
  /** Of requests that ended before their provider reported it. */
  let unfinished: Usage | null = null;
  /** Of the request that is running. */
  let running: (() => Usage) | null = null;
  const used = () => (running === null ? (unfinished ?? NO_USAGE) : sumOf(unfinished, running()));
  const onSent = (soFar: () => Usage) => {
    running = soFar;
    note({ unsaved: used });
  };
  const onUnfinished = (usage: Usage) => {
    running = null;
    unfinished = sumOf(unfinished, usage);
  };
  try {
    for await (const part of providers.streamChat(
      { model, messages, settings, ...(cache && { cache }) },
      { signal, ...caller, onSent, onUnfinished, ...options },
    )) {
      if (part.type === 'fallback') {
        answering = answererOf(part.model);
        note(answering);
        running = null;
        note({ unsaved: unfinished === null ? null : used });
        answer = new AnswerOutput(emit, { sources, textOnly, step });
        if (part.reset) {
          emit({ type: 'text.reset', reason: 'provider_failed' });
          onReset?.();
        }
        if (part.model === EXTRACTING_MODEL && sources !== undefined) return null;
      } else if (part.type === 'finish') {
        const { finish_reason: reason, stop_sequence, usage } = part;
        finish = { reason, stop_sequence, usage };
      } else {
        const full = answer.take(part);
        if (full) await full;
        if (answer.full) {
          finish = { reason: 'length', usage: null };
          break; // ends the provider's request
        }
      }
    }
  } catch (error) {
    running = null;
    note({
      unsaved: unfinished === null ? null : used,
      ...(unfinished !== null && {
        usage: spent === undefined || spent.total_tokens === 0 ? unfinished : sumUsage(spent, unfinished),
      }),
    });
    throw error;
  }
  await answer.end(finish?.reason === 'length');
  if (!finish) throw new ChorusError('provider_error', 'The provider ended its answer without finishing it.');
  const { reason, stop_sequence } = finish;
  const usage = finish.usage === null ? (unfinished ?? NO_USAGE) : sumOf(unfinished, finish.usage);
  note({ unsaved: () => usage });
  return { answer, usage, ...answering, finish_reason: reason, ...(stop_sequence !== undefined && { stop_sequence }) };
}

/** Adds usage to earlier usage, if there is any. */
const sumOf = (earlier: Usage | null, used: Usage): Usage => (earlier === null ? used : sumUsage(earlier, used));

/** Returns the model and its provider, as reported by the execution. */
export function answererOf(model: string): { model: string; provider: string } {
  return { model, provider: model.split('/', 1)[0] as string };
}
