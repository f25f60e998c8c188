import type { Database, KnowledgeRecord } from '@chorus/database';
import type { Passage } from '@chorus/knowledge/answering';
import type { Providers } from '@chorus/providers';
import type { FileParts } from './resolve-files.ts';
import type { ShowParts } from './show-images.ts';
import type { FindPassages } from './turn-conversation.ts';

export interface AnswerParts {
  database: Database;
  assets: ShowParts['assets'] & FileParts['assets'];
  webImages?: FileParts['webImages'];
  providers: Pick<Providers, 'streamChat' | 'contextWindow' | 'models' | 'takesUrls'>;
  findPassages: FindPassages;
  /** Returns all passages of a document, in order. */
  readDocument(entry: KnowledgeRecord): Promise<Passage[]>;
}
