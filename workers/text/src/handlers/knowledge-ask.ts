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
    const asked = { ...common, source, use: 'only', mayReset: true, textOnly: true, endsAt } as const;
    const answered = await answerTurn(parts, job, asked);
    const output = answered.output.filter((item) => item.type === 'text' || item.type === 'citation');
    const result = { ...answered, output };
    if (output.some(({ type }) => type === 'citation')) return result;
    return { ...result, warnings: [...(result.warnings ?? []), UNCITED] };
  },
});
