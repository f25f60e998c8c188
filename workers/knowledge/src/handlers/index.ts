import type { HandlersFor } from '@chorus/worker-kit';
import { type IngestionParts, knowledgeIngest } from './knowledge-ingest.ts';

/** The handlers of the knowledge pool, a line for each kind. */
export const createHandlers = (parts: IngestionParts): HandlersFor<'knowledge'> => ({
  'knowledge.ingest': knowledgeIngest(parts),
});
