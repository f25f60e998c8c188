import { type ChatCompletionInput, JOBS } from '@chorus/contract';
import type { Handler } from '@chorus/worker-kit';
import { answerTurn } from './answer-turn.ts';
import type { ChatParts } from './chat-completion.ts';

/** The least that is to be said of an answer that shows no source. */
const UNCITED = 'Nothing of this answer is cited from the sources.';

/** A question that is answered from the scope's documents alone, each statement cited. */
export const knowledgeAsk = ({ turnTimeoutMs, ...parts }: ChatParts): Handler<'knowledge.ask'> => ({
  run: async (job) => {
    const { question, turn, ...common } = job.input;
    const endsAt = performance.now() + (turnTimeoutMs ?? JOBS['knowledge.ask'].policy.timeoutMs);
    const source: ChatCompletionInput['source'] = turn
      ? { type: 'session', ...turn }
      : { type: 'messages', messages: [{ role: 'user', content: question }] };
    const result = await answerTurn(parts, job, { ...common, source, use: 'only', mayReset: true, endsAt });
    if (result.output.some(({ type }) => type === 'citation')) return result;
    return { ...result, warnings: [...(result.warnings ?? []), UNCITED] };
  },
});
