import type { KnowledgeUse, Owner, Usage } from '@chorus/contract';
import type { Database, StoredSpace } from '@chorus/database';
import { NO_USAGE } from '@chorus/providers/usage';
import type { Logger } from '@chorus/runtime/log';
import type { ChunkQuery, Hit, Search } from '@chorus/search';
import { fusionWeight } from '../ranking/fusion-weight.ts';
import { candidatesFor, rerank } from '../ranking/rerank.ts';
import { searchScope } from '../search-scope.ts';

/** A document chunk that matches a question. Scores are 0 to 1 and comparable within one search. */
export type Passage = Hit;

export interface PassageParts {
  database: Pick<Database, 'knowledgeSpaces'> & { knowledge: Pick<Database['knowledge'], 'titles'> };
  search: Pick<Search, 'chunks'>;
  /** Embeds the question with a model named `provider/model`. */
  embed(
    call: { model: string; texts: string[]; purpose: 'query' },
    options: { signal: AbortSignal; executionId: string; user?: string; endsAt?: number; maxWaitS?: number },
  ): Promise<{ vectors: Float32Array[]; usage: Usage }>;
  log: Logger;
}

export interface FoundPassages {
  /** Best first; empty if nothing matches the filters. */
  passages: Passage[];
  /** `provider/model` of the question's embedding; null if only words were searched. */
  model: string | null;
  usage: Usage;
  warnings: string[];
}

export interface PassageQuery extends KnowledgeUse {
  question: string;
  /** Searches documents of conversations, those in `entry_ids`, instead of shared ones. */
  attached?: boolean;
}

/** After this time the search continues with words only. */
const EMBED_TIMEOUT_MS = 10_000;

const WORDS_ONLY = 'The embedding model did not respond, so only words were searched.';

/**
 * Finds passages for a question by hybrid search with filters, then reranks them by their best sentence. Chunks
 * of deleted entries are dropped, and titles are read from the database.
 *
 * @throws {ChorusError} store_unavailable; the signal's reason
 */
export async function findPassages(
  parts: PassageParts,
  owner: Owner,
  { question, top_k, tags, entry_ids, attached = false }: PassageQuery,
  options: { signal: AbortSignal; executionId: string; isBatch?: boolean },
): Promise<FoundPassages> {
  const { database, search } = parts;
  const searchIn = async (space: StoredSpace) => {
    const embedding = embedQuestion(parts, space, question, { ...options, user: owner.user_id });
    const [embedded, hits] = await Promise.all([
      embedding,
      findHits(search, space, {
        scopeKey: searchScope({ owner, session_ids: attached ? [] : null }),
        text: question,
        vector: embedding.then((embedded) => embedded?.vector ?? null),
        tags: tags?.length === 0 ? undefined : tags,
        entryIds: entry_ids,
        limit: candidatesFor(top_k),
        weight: fusionWeight(space.model, question),
      }),
    ]);
    return { embedded, hits };
  };
  const reading = database.knowledgeSpaces.get();
  // The search starts in the space of the previous one, and starts over if the space has changed.
  const expected = recentSpace(database);
  const begun = expected && searchIn(expected);
  begun?.catch(() => undefined);
  const { current: space } = await reading;
  if (space === null) return { passages: [], model: null, usage: NO_USAGE, warnings: [] };
  recentSpaces.set(database, { space, at: performance.now() });
  const { embedded, hits } = await (begun && expected.name === space.name ? begun : searchIn(space));
  options.signal.throwIfAborted();
  const passages = await existing(database, owner, rerank(question, hits), top_k);
  return {
    passages,
    model: embedded === null ? null : space.model,
    usage: embedded?.usage ?? NO_USAGE,
    warnings: embedded === null ? [WORDS_ONLY] : [],
  };
}

/** Returns the first passages whose entries exist, with their titles. */
async function existing(
  { knowledge }: Pick<PassageParts['database'], 'knowledge'>,
  owner: Owner,
  ranked: readonly Hit[],
  limit: number,
): Promise<Passage[]> {
  const passages: Passage[] = [];
  for (let from = 0; from < ranked.length && passages.length < limit; from += limit) {
    // Usually, all of them exist.
    const some = ranked.slice(from, from + limit);
    const titles = await knowledge.titles(owner, [...new Set(some.map(({ entry_id }) => entry_id))]);
    for (const hit of some) {
      const title = titles.get(hit.entry_id);
      if (title !== undefined) passages.push({ ...hit, title });
    }
  }
  return passages.slice(0, limit);
}

/** Far shorter than the lifetime of a replaced table, since opening a dropped table would create it again. */
const RECENT_MS = 60_000;
const recentSpaces = new WeakMap<PassageParts['database'], { space: StoredSpace; at: number }>();

function recentSpace(database: PassageParts['database']): StoredSpace | null {
  const recent = recentSpaces.get(database);
  return recent !== undefined && performance.now() - recent.at < RECENT_MS ? recent.space : null;
}

/** The table reads the scope while the question is being embedded. */
async function findHits(search: PassageParts['search'], space: StoredSpace, query: ChunkQuery): Promise<Hit[]> {
  const table = await search.chunks(space);
  return table.find(query);
}

/** Embeds the question; returns null on errors and timeouts. */
async function embedQuestion(
  { embed, log }: PassageParts,
  { model, dimensions }: StoredSpace,
  question: string,
  { signal, executionId, user }: { signal: AbortSignal; executionId: string; user: string },
): Promise<{ vector: Float32Array; usage: Usage } | null> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(EMBED_TIMEOUT_MS)]);
  const options = { signal: within, executionId, user, endsAt: performance.now() + EMBED_TIMEOUT_MS };
  try {
    const { vectors, usage } = await embed({ model, texts: [question], purpose: 'query' }, options);
    const [vector] = vectors;
    // Embedded models are free, so the cost of the answer is exact.
    const isOwn = model.startsWith('embedded/');
    if (vector?.length === dimensions) return { vector, usage: isOwn ? { ...usage, cost_usd: 0 } : usage };
    log.error({ model, dimensions, given: vector?.length }, 'the embedding model returned a vector of another length');
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, model, execution_id: executionId }, 'searching by words only');
  }
  return null;
}
