import {
  type ChatCompletionInput,
  type ChatMessage,
  ChorusError,
  JOBS,
  type Owner,
  type Usage,
} from '@chorus/contract';
import { turnContext } from '@chorus/conversations';
import type { Database } from '@chorus/database';
import type { Providers } from '@chorus/providers';
import type { Handler } from '@chorus/worker-kit';
import { AnswerText } from './answer-text.ts';

export interface ChatParts {
  database: Database;
  providers: Pick<Providers, 'streamChat'>;
  /** How long a turn may take, in milliseconds: a provider is not waited for beyond it. */
  turnTimeoutMs?: number;
}

/** Messages of a session that the model is shown at most. */
const MAX_CONTEXT_MESSAGES = 200;

/** Of an answer that was cut here, before the provider told its usage. */
const UNTOLD: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };

/** A chat turn: the conversation goes to the model, its text comes back as deltas. */
export const chatCompletion = ({ database, providers, turnTimeoutMs }: ChatParts): Handler<'chat.completion'> => ({
  mayReset,

  async run({ input, owner, executionId, signal, emit, note, text }) {
    const { settings, source } = input;
    const endsAt = performance.now() + (turnTimeoutMs ?? JOBS['chat.completion'].policy.timeoutMs);
    let answering = answererOf(input.model);
    note(answering);
    const messages = await conversationOf(database, owner, source);
    let finish: { reason: string; usage: Usage } | null = null;
    let answer = new AnswerText();
    const show = (delta: string) => (delta === '' ? undefined : emit({ type: 'text.delta', index: 0, delta }));
    const options = { signal, executionId, endsAt, mayReset: mayReset(input) };
    for await (const part of providers.streamChat({ model: input.model, messages, settings }, options)) {
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
  },
});

/** OpenAI's clients append what they read: they can't take text back. */
function mayReset({ source }: ChatCompletionInput): boolean {
  return source.type !== 'messages';
}

/** Who answers, as the execution tells it. */
function answererOf(model: string): { model: string; provider: string } {
  return { model, provider: model.split('/', 1)[0] as string };
}

/** What the model is shown: the messages that came with the job, or the session's up to this turn. */
async function conversationOf(
  database: Database,
  owner: Owner,
  source: ChatCompletionInput['source'],
): Promise<ChatMessage[]> {
  if (source.type === 'messages') return source.messages;
  if (source.opening !== undefined) return [{ role: 'user', content: source.opening }];
  return turnContext(database, owner, source, { maxMessages: MAX_CONTEXT_MESSAGES });
}
