import {
  type ChatCompletionInput,
  type ChatMessage,
  ChorusError,
  JOBS,
  maySee,
  type Owner,
  type Usage,
} from '@chorus/contract';
import { estimateTokens, type TurnContext, turnContext } from '@chorus/conversations';
import type { Database } from '@chorus/database';
import type { Providers } from '@chorus/providers';
import type { Handler, JobContext, JobResult } from '@chorus/worker-kit';
import { AnswerText } from './answer-text.ts';
import { type ShowParts, showImages } from './show-images.ts';

export interface ChatParts {
  database: Database;
  assets: ShowParts['assets'];
  providers: Pick<Providers, 'streamChat' | 'contextWindow' | 'models'>;
  /** How long a turn may take, in milliseconds: a provider is not waited for beyond it. */
  turnTimeoutMs?: number;
}

/** What a model is taken to read at most where nobody says, in tokens; one that reads less says so, and gets less. */
const USUAL_WINDOW_TOKENS = 100_000;

/** Kept free for the answer unless the request says how long it may be, in tokens. */
const ANSWER_TOKENS = 4_096;

/** Of an answer that was cut here, before the provider told its usage. */
const UNTOLD: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };

/** A chat turn: the conversation goes to the model, its text comes back as deltas. */
export const chatCompletion = ({
  database,
  assets,
  providers,
  turnTimeoutMs,
}: ChatParts): Handler<'chat.completion'> => ({
  mayReset,

  async run(job) {
    const { input, owner, note, text } = job;
    const endsAt = performance.now() + (turnTimeoutMs ?? JOBS['chat.completion'].policy.timeoutMs);
    const { model, settings, source, instructions } = input;
    note(answererOf(model));
    const told = instructions === undefined ? 0 : estimateTokens(instructions);
    for (let room = roomIn(providers.contextWindow(model), settings.max_tokens) - told; ; ) {
      const { messages: found, context } = await conversationOf(database, owner, source, room);
      const messages = context ? await showImages({ assets, owner, sees: () => sees(providers, model) }, found) : found;
      if (context) note({ context });
      try {
        return {
          ...(await answer(providers, job, withInstructions(instructions, messages), endsAt)),
          ...(context ? { context } : {}),
        };
      } catch (error) {
        const tooLong = error instanceof ChorusError && error.code === 'context_too_long';
        if (!tooLong || !context || context.messages < 2 || text() !== '') throw error;
        // The model reads less than was thought: half of it, until it fits or only the question is left.
        room = Math.floor(context.estimated_tokens / 2);
      }
    }
  },
});

/** Has the model answer, and shows it. */
async function answer(
  providers: ChatParts['providers'],
  { input, executionId, signal, emit, note, text }: JobContext<'chat.completion'>,
  messages: ChatMessage[],
  endsAt: number,
): Promise<JobResult> {
  let answering = answererOf(input.model);
  let finish: { reason: string; usage: Usage } | null = null;
  let answer = new AnswerText();
  const show = (delta: string) => (delta === '' ? undefined : emit({ type: 'text.delta', index: 0, delta }));
  const call = { model: input.model, messages, settings: input.settings };
  const options = { signal, executionId, endsAt, mayReset: mayReset(input), fallbacks: input.fallbacks };
  for await (const part of providers.streamChat(call, options)) {
    if (part.type === 'text') {
      const full = show(answer.take(part.text));
      if (full) await full;
      if (answer.full) {
        finish = { reason: 'length', usage: UNTOLD };
        break; // which ends the provider's request
      }
    } else if (part.type === 'fallback') {
      answering = answererOf(part.model);
      note(answering);
      answer = new AnswerText();
      if (part.reset) emit({ type: 'text.reset', reason: 'provider_failed' });
    } else {
      finish = { reason: part.finish_reason, usage: part.usage };
    }
  }
  await show(answer.rest());
  if (!finish) throw new ChorusError('provider_error', 'The provider ended its answer without finishing it.');
  return {
    output: [{ type: 'text', text: text() }],
    usage: finish.usage,
    ...answering,
    finish_reason: finish.reason,
  };
}

/** Tokens that a conversation may take in a model's window. */
function roomIn(windowTokens: number | null, answerTokens = ANSWER_TOKENS): number {
  const window = windowTokens ?? USUAL_WINDOW_TOKENS;
  return window - Math.min(answerTokens, Math.floor(window / 4));
}

/** OpenAI's clients append what they read: they can't take text back. */
function mayReset({ source }: ChatCompletionInput): boolean {
  return source.type !== 'messages';
}

/** Who answers, as the execution tells it. */
function answererOf(model: string): { model: string; provider: string } {
  return { model, provider: model.split('/', 1)[0] as string };
}

/** An agent's instructions come before all else. */
function withInstructions(instructions: string | undefined, messages: ChatMessage[]): ChatMessage[] {
  return instructions === undefined ? messages : [{ role: 'system', content: instructions }, ...messages];
}

/** A session's messages have their pictures still to be fetched; those that came with the job have them. */
type Conversation = TurnContext | { messages: ChatMessage[]; context?: undefined };

/** Whether a model may be shown pictures. */
function sees(providers: ChatParts['providers'], model: string): boolean {
  return maySee(providers.models().find(({ id }) => id === model));
}

/** What the model is shown: the messages that came with the job, or as many of the session's as fit, up to this turn. */
async function conversationOf(
  database: Database,
  owner: Owner,
  source: ChatCompletionInput['source'],
  maxTokens: number,
): Promise<Conversation> {
  if (source.type === 'messages') return { messages: source.messages };
  if (source.opening === undefined) return turnContext(database, owner, source, { maxTokens });
  const context = { messages: 1, estimated_tokens: estimateTokens(source.opening), dropped: false };
  return { messages: [{ role: 'user', content: source.opening }], context };
}
