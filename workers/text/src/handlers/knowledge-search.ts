import { presentChunk } from '@chorus/knowledge';
import type { Handler } from '@chorus/worker-kit';
import type { AnswerParts } from './answer-parts.ts';

/** Returns the passages that answer a question. */
export const knowledgeSearch = ({ findPassages }: Pick<AnswerParts, 'findPassages'>): Handler<'knowledge.search'> => ({
  run: async ({ input, owner, signal, executionId }) => {
    const query = { ...input.knowledge, question: input.query };
    const { passages, usage, warnings, model } = await findPassages(owner, query, { signal, executionId });
    return {
      output: passages.map((passage) => ({ type: 'passage', passage: presentChunk(passage, passage.score) })),
      usage,
      model,
      provider: model?.split('/', 1)[0] ?? null,
      finish_reason: null,
      warnings,
    };
  },
});
