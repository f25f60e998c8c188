import {
  ChorusError,
  type ConversationItem,
  KINDS,
  type ResponseInput,
  responseSettings,
  toChatMessages,
} from '@chorus/contract';
import type { Handler } from '@chorus/worker-kit';
import { answerTurn, type ChatParts } from './chat-completion.ts';
import { limitCalls } from './limit-calls.ts';

/** Answers like a chat turn. A conversation that is too long loses its oldest turns, if the request allows that. */
export const response = ({ turnTimeoutMs, ...parts }: ChatParts): Handler<'response'> => ({
  mayReset,
  run: async (job) => {
    const { model, fallbacks, options } = job.input;
    const turn = {
      model,
      fallbacks,
      settings: responseSettings(options),
      ...(options.instructions != null && { instructions: options.instructions }),
      use: 'first' as const,
      mayReset: mayReset(job.input),
      endsAt: performance.now() + (turnTimeoutMs ?? KINDS.response.timeoutMs),
    };
    const limited = { ...job, emit: limitCalls(job.emit, options) };
    for (let { items } = job.input; ; ) {
      try {
        const source = { type: 'messages' as const, messages: toChatMessages(items) };
        return await answerTurn(parts, limited, { ...turn, source });
      } catch (error) {
        const isTooLong = error instanceof ChorusError && error.code === 'context_too_long';
        const shorter = isTooLong && options.truncation === 'auto' ? withoutOldest(items) : null;
        if (shorter === null || job.output().length > 0) throw error;
        items = shorter;
      }
    }
  },
});

/** Clients of other streams append what they read and cannot take it back. */
function mayReset({ options }: ResponseInput): boolean {
  return options.background === true || options.stream !== true;
}

/**
 * Leaves out the oldest turns of a conversation, about half of it. Keeps system messages and the last turn.
 * @returns null if nothing can be left out
 */
export function withoutOldest(items: readonly ConversationItem[]): ConversationItem[] | null {
  const sizes = items.map((item) => JSON.stringify(item).length);
  const half = sizes.reduce((sum, size) => sum + size, 0) / 2;
  let cut = 0;
  let size = 0;
  for (const [index, item] of items.entries()) {
    // A turn starts with a message of the user, so calls stay with their results.
    if (isBy(item, 'user') && index > 0) {
      cut = index;
      if (size >= half) break;
    }
    size += sizes[index] ?? 0;
  }
  const kept = items.filter((item, index) => index >= cut || isBy(item, 'system') || isBy(item, 'developer'));
  return kept.length < items.length ? kept : null;
}

function isBy(item: ConversationItem, role: 'user' | 'system' | 'developer'): boolean {
  return 'role' in item && item.role === role;
}
