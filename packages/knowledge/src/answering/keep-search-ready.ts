import type { StoredSpace } from '@chorus/database';
import { repeatedly } from '@chorus/runtime/timing';
import type { Hit } from '@chorus/search';
import { rerank } from '../ranking/rerank.ts';
import type { PassageParts } from './find-passages.ts';

const LOOK_MS = 10_000;
const LOAD_MS = 60_000;

const QUESTION = 'When did the old mill beside the river burn down?';

/** A dummy passage, which makes ranking load its data. */
const PASSAGE: Hit = {
  id: 'sample:1:0',
  scope_key: '',
  entry_id: 'sample',
  revision: 1,
  position: 0,
  page: null,
  tags: [],
  title: 'The mill',
  heading_path: [],
  text: 'The old mill was built in 1812. It burned down in the winter of 1843, and was never rebuilt.',
  score: 1,
  textScore: 1,
  vectorScore: 1,
  similarity: 1,
};

/**
 * Loads the index, the ranking, and an embedded model, so that the first search need not wait for them: once there are
 * documents, and again after their space was replaced.
 *
 * @returns A function that stops it.
 */
export function keepSearchReady(parts: PassageParts, lookMs = LOOK_MS): () => Promise<void> {
  let ready: string | null = null;
  return repeatedly(lookMs, async () => {
    try {
      const { current } = await parts.database.knowledgeSpaces.get();
      if (current === null || current.name === ready) return;
      await load(parts, current);
      ready = current.name;
    } catch (error) {
      parts.log.debug({ err: error }, 'could not prepare for searches');
    }
  });
}

async function load({ search, embed }: PassageParts, space: StoredSpace): Promise<void> {
  const table = await search.chunks(space);
  const call = { model: space.model, texts: [QUESTION], purpose: 'query' as const };
  await Promise.all([
    // Other models cost money, and run elsewhere.
    space.model.startsWith('embedded/') && embed(call, { signal: AbortSignal.timeout(LOAD_MS), executionId: 'none' }),
    table.find({ scopeKey: PASSAGE.scope_key, text: QUESTION, limit: 1, weight: 0 }),
  ]);
  rerank(QUESTION, [PASSAGE]);
}
