import { type ChatMessage, ChorusError, type CitationItem, type Usage } from '@chorus/contract';
import { CitedText, type Passage } from '@chorus/knowledge';
import type { Providers } from '@chorus/providers';
import type { JobContext, JobResult } from '@chorus/worker-kit';
import { AnswerText } from './answer-text.ts';

export interface AnswerCall {
  model: string;
  messages: ChatMessage[];
  settings: JobContext<'chat.completion'>['input']['settings'];
  fallbacks: string[] | undefined;
  /** Whether text that was shown may be taken back. */
  mayReset: boolean;
  /** By `performance.now()`. */
  endsAt: number;
  /** What the answer may refer to by `[1]`; absent: brackets are brackets. */
  sources?: Sources | undefined;
}

export interface Sources {
  /** In the order of their numbers, from 1. */
  passages: readonly Passage[];
  /** What they were searched for. */
  question: string;
}

export type TurnJob = Pick<
  JobContext<'chat.completion' | 'knowledge.ask'>,
  'owner' | 'executionId' | 'signal' | 'emit' | 'note' | 'text'
>;

/** A model that answers by rules is not asked, where there are sources: it can't read them. */
export const EXTRACTING_MODEL = 'embedded/assistant';

/** Of an answer that was cut here, before the provider told its usage. */
const UNTOLD: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };

/**
 * Has a model answer, and shows the text as it comes, and each citation as soon as the text refers to it.
 *
 * @returns null: there are sources, and the turn came to `EXTRACTING_MODEL` in place of those before it; nothing is shown
 * @throws {ChorusError} as `Providers.streamChat`
 */
export function streamAnswer(
  providers: Pick<Providers, 'streamChat'>,
  job: TurnJob,
  call: AnswerCall & { sources?: undefined },
): Promise<JobResult>;
export function streamAnswer(
  providers: Pick<Providers, 'streamChat'>,
  job: TurnJob,
  call: AnswerCall,
): Promise<JobResult | null>;
export async function streamAnswer(
  providers: Pick<Providers, 'streamChat'>,
  { owner, executionId, signal, emit, note, text }: TurnJob,
  { model, messages, settings, sources, ...options }: AnswerCall,
): Promise<JobResult | null> {
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
        finish = { reason: 'length', usage: UNTOLD };
        break; // which ends the provider's request
      }
    } else if (part.type === 'fallback') {
      answering = answererOf(part.model);
      note(answering);
      answer = new AnswerText();
      cited = reader();
      citations = [];
      if (part.reset) emit({ type: 'text.reset', reason: 'provider_failed' });
      if (part.model === EXTRACTING_MODEL && sources !== undefined) return null;
    } else {
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

/** Who answers, as the execution tells it. */
export function answererOf(model: string): { model: string; provider: string } {
  return { model, provider: model.split('/', 1)[0] as string };
}
