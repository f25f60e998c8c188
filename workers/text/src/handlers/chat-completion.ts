import { type ChatCompletionInput, JOBS } from '@chorus/contract';
import type { Handler } from '@chorus/worker-kit';
import { type AnswerParts, answerTurn } from './answer-turn.ts';

export interface ChatParts extends AnswerParts {
  /** How long a turn may take, in milliseconds: a provider is not waited for beyond it. */
  turnTimeoutMs?: number;
}

/** A chat turn: the conversation goes to the model, its text comes back as deltas. */
export const chatCompletion = ({ turnTimeoutMs, ...parts }: ChatParts): Handler<'chat.completion'> => ({
  mayReset,
  run: (job) => {
    const endsAt = performance.now() + (turnTimeoutMs ?? JOBS['chat.completion'].policy.timeoutMs);
    return answerTurn(parts, job, { ...job.input, use: 'first', mayReset: mayReset(job.input), endsAt });
  },
});

/** OpenAI's clients append what they read: they can't take text back. */
function mayReset({ source }: ChatCompletionInput): boolean {
  return source.type !== 'messages';
}
