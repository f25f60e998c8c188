export { knowledgeIngest as 'knowledge.ingest' } from './knowledge-ingest.ts';
export { knowledgeRead as 'knowledge.read' } from './knowledge-read.ts';
