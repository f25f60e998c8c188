import type { HandlersFor } from '@chorus/worker-kit';
import { type ChatParts, chatCompletion } from './chat-completion.ts';
import { knowledgeAsk } from './knowledge-ask.ts';
import { knowledgeSearch } from './knowledge-search.ts';

/** The handlers of the text pool, a line for each kind. */
export const createHandlers = (parts: ChatParts): HandlersFor<'text'> => ({
  'chat.completion': chatCompletion(parts),
  'knowledge.ask': knowledgeAsk(parts),
  'knowledge.search': knowledgeSearch(parts),
});
