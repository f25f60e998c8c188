import { ChorusError, cacheKeyOf, KINDS, type ResponseInput, responseSettings, toChatMessages } from '@chorus/contract';
import type { Handler } from '@chorus/worker-kit';
import { continueFrom } from './agent/continue-from.ts';
import { ResponseTurn } from './agent/response-turn.ts';
import { runAgent } from './agent/run-agent.ts';
import { answerTurn, type ChatParts } from './chat-completion.ts';
import { limitCalls } from './limit-calls.ts';
import { withoutOldest } from './without-oldest.ts';

/** Answers like a chat turn. A conversation that is too long loses its oldest turns, if the request allows that. */
export const response = ({ turnTimeoutMs, ...parts }: ChatParts): Handler<'response'> => ({
  mayReset,
  continueFrom,
  run: async (job) => {
    const { model, fallbacks, options } = job.input;
    const cacheKey = cacheKeyOf(options);
    const turn = {
      model,
      fallbacks,
      settings: responseSettings(options),
      ...(options.instructions != null && { instructions: options.instructions }),
      use: 'first' as const,
      mayReset: mayReset(job.input),
      endsAt: performance.now() + (turnTimeoutMs ?? KINDS.response.timeoutMs),
      ...(cacheKey !== undefined && { cache: { key: cacheKey } }),
    };
    if (job.input.servers !== undefined) {
      const response = new ResponseTurn(job.input);
      const source = { type: 'messages' as const, messages: [] };
      return runAgent(parts, job, { ...turn, agent: response.work(), response, source });
    }
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
