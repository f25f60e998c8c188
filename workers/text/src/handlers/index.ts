export { chatCompletion as 'chat.completion' } from './chat-completion.ts';
export { chatTitle as 'chat.title' } from './chat-title.ts';
export { embedding as 'embedding' } from './embedding.ts';
export { knowledgeAsk as 'knowledge.ask' } from './knowledge-ask.ts';
export { knowledgeSearch as 'knowledge.search' } from './knowledge-search.ts';
export { response } from './response.ts';
