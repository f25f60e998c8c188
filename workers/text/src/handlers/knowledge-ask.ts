import { type ChatCompletionInput, KINDS } from '@chorus/contract';
import type { Handler } from '@chorus/worker-kit';
import { answerTurn, type ChatParts } from './chat-completion.ts';

/** Warning for an answer without citations. */
const UNCITED = 'This answer cites nothing from the sources.';

/** Answers a question only from the scope's documents, with citations. */
export const knowledgeAsk = ({ turnTimeoutMs, ...parts }: ChatParts): Handler<'knowledge.ask'> => ({
  run: async (job) => {
    const { question, turn, ...common } = job.input;
    const endsAt = performance.now() + (turnTimeoutMs ?? KINDS['knowledge.ask'].timeoutMs);
    const source: ChatCompletionInput['source'] = turn
      ? { type: 'session', ...turn }
      : { type: 'messages', messages: [{ role: 'user', content: question }] };
    const result = await answerTurn(parts, job, { ...common, source, use: 'only', mayReset: true, endsAt });
    if (result.output.some(({ type }) => type === 'citation')) return result;
    return { ...result, warnings: [...(result.warnings ?? []), UNCITED] };
  },
});
