import type { Database } from '@chorus/database';
import type { Providers } from '@chorus/providers';
import type { FileParts } from './resolve-files.ts';
import type { ShowParts } from './show-images.ts';
import type { FindPassages } from './turn-conversation.ts';

export interface AnswerParts {
  database: Database;
  assets: ShowParts['assets'] & FileParts['assets'];
  providers: Pick<Providers, 'streamChat' | 'contextWindow' | 'models'>;
  findPassages: FindPassages;
}
