import {
  type ChatMessage,
  type ChatSettings,
  ChorusError,
  type CitationItem,
  type chatCompletion,
  type knowledgeAsk,
  type TextItem,
  type Usage,
} from '@chorus/contract';
import { CitedText, type Passage } from '@chorus/knowledge';
import type { Providers } from '@chorus/providers';
import type { JobContext, JobResult } from '@chorus/worker-kit';
import { AnswerText } from './answer-text.ts';

export interface AnswerCall {
  model: string;
  messages: ChatMessage[];
  settings: ChatSettings;
  fallbacks: string[] | undefined;
  /** Whether text already shown may be taken back. */
  mayReset: boolean;
  /** Deadline by `performance.now()`. */
  endsAt: number;
  /** Sources that the answer can cite as `[1]`; without them, brackets are plain text. */
  sources?: Sources | undefined;
}

export interface Sources {
  /** Ordered by number, from 1. */
  passages: readonly Passage[];
  /** Query of the search. */
  question: string;
}

export type AnswerResult = JobResult<TextItem | CitationItem>;

export type TurnJob = Pick<
  JobContext<typeof chatCompletion.kind | typeof knowledgeAsk.kind>,
  'owner' | 'executionId' | 'signal' | 'emit' | 'note' | 'text'
>;

/** A rule-based model, which is skipped if there are sources. */
export const EXTRACTING_MODEL = 'embedded/assistant';

/** Usage of an answer that was cut off before the provider reported it. */
const UNKNOWN_USAGE: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };

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
  { owner, executionId, signal, emit, note, text }: TurnJob,
  { model, messages, settings, sources, ...options }: AnswerCall,
): Promise<AnswerResult | null> {
  let answering = answererOf(model);
  let finish: { reason: string; usage: Usage } | null = null;
  let answer = new AnswerText();
  const reader = () => (sources === undefined ? null : new CitedText(sources.passages, sources.question));
  let cited = reader();
  let citations: CitationItem[] = [];
  const show = (delta: string) => (delta === '' ? undefined : emit({ type: 'text.delta', index: 0, delta }));
  const showCited = (piece: ReturnType<CitedText['take']>) => {
    const full = show(piece.text);
    for (const item of piece.citations) {
      citations.push(item);
      emit({ type: 'output.item', index: citations.length, item });
    }
    return full;
  };
  const say = (delta: string) => (cited === null ? show(delta) : showCited(cited.take(delta)));
  for await (const part of providers.streamChat(
    { model, messages, settings },
    { signal, executionId, user: owner.user_id, ...options },
  )) {
    if (part.type === 'text') {
      const full = say(answer.take(part.text));
      if (full) await full;
      if (answer.full) {
        finish = { reason: 'length', usage: UNKNOWN_USAGE };
        break; // ends the provider's request
      }
    } else if (part.type === 'fallback') {
      answering = answererOf(part.model);
      note(answering);
      answer = new AnswerText();
      cited = reader();
      citations = [];
      if (part.reset) emit({ type: 'text.reset', reason: 'provider_failed' });
      if (part.model === EXTRACTING_MODEL && sources !== undefined) return null;
    } else if (part.type === 'finish') {
      finish = { reason: part.finish_reason, usage: part.usage };
    }
  }
  await say(answer.rest());
  if (cited !== null) await showCited(cited.rest());
  if (!finish) throw new ChorusError('provider_error', 'The provider ended its answer without finishing it.');
  return {
    output: [{ type: 'text', text: text() }, ...citations],
    usage: finish.usage,
    ...answering,
    finish_reason: finish.reason,
  };
}

/** Returns the model and its provider, as reported by the execution. */
export function answererOf(model: string): { model: string; provider: string } {
  return { model, provider: model.split('/', 1)[0] as string };
}
