export { knowledgeIngest as 'knowledge.ingest' } from './knowledge-ingest.ts';
