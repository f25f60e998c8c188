import { type KnowledgeUse, type Owner, scopeKey, type Usage } from '@chorus/contract';
import type { Database, StoredSpace } from '@chorus/database';
import type { Logger } from '@chorus/log';
import type { ChunkTable, Hit, Search } from '@chorus/search';
import { fusionWeight } from '../ranking/fusion-weight.ts';
import { candidatesFor, rerank } from '../ranking/rerank.ts';

/** A piece of a document that fits a question. Scores are 0 to 1 and comparable within one search. */
export type Passage = Hit;

export interface PassageParts {
  database: Pick<Database, 'knowledge' | 'knowledgeSpaces'>;
  search: Pick<Search, 'chunks'>;
  /** The vector of a question, by a model as `provider/model`. */
  embed(
    call: { model: string; texts: string[]; purpose: 'query' },
    options: { signal: AbortSignal; executionId: string; user?: string; endsAt?: number; maxWaitS?: number },
  ): Promise<{ vectors: Float32Array[]; usage: Usage }>;
  log: Logger;
}

export interface FoundPassages {
  /** The best first. Empty: nothing is searchable under these filters. */
  passages: Passage[];
  /** `provider/model` that the question was embedded by; null: it was searched by its words alone. */
  model: string | null;
  /** Of the question's embedding. */
  usage: Usage;
  warnings: string[];
}

const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };

/** A question waits no longer for its vector, in milliseconds: without it the words are still searched. */
const EMBED_WITHIN_MS = 10_000;

const WORDS_ALONE = 'The embedding model did not answer, so the sources were searched by their words alone.';

/**
 * What a scope's documents say that fits a question: hybrid search with the filters inside the engine, then ranked by the best sentence. The database has the last word: a chunk
 * whose entry is gone is none, and titles are as they are now.
 *
 * @throws {ChorusError} store_unavailable; the signal's reason
 */
export async function findPassages(
  parts: PassageParts,
  owner: Owner,
  { question, top_k, tags, entry_ids }: KnowledgeUse & { question: string },
  options: { signal: AbortSignal; executionId: string },
): Promise<FoundPassages> {
  const { database, search } = parts;
  const { current: space } = await database.knowledgeSpaces.get();
  if (space === null) return { passages: [], model: null, usage: NO_USAGE, warnings: [] };
  const [embedded, table] = await Promise.all([
    embedQuestion(parts, space, question, { ...options, user: owner.user_id }),
    preparedTable(search, space, owner),
  ]);
  const hits = await table.find({
    scopeKey: scopeKey(owner),
    text: question,
    vector: embedded?.vector,
    tags: tags?.length === 0 ? undefined : tags,
    entryIds: entry_ids,
    limit: candidatesFor(top_k),
    weight: fusionWeight(space.model, question),
  });
  options.signal.throwIfAborted();
  const entries = await database.knowledge.getMany(owner, [...new Set(hits.map(({ entry_id }) => entry_id))]);
  const titles = new Map(entries.map(({ id, title }) => [id, title]));
  const there = hits.filter(({ entry_id }) => titles.has(entry_id));
  const named = there.map((hit) => ({ ...hit, title: titles.get(hit.entry_id) ?? hit.title }));
  return {
    passages: rerank(question, named).slice(0, top_k),
    model: embedded === null ? null : space.model,
    usage: embedded?.usage ?? NO_USAGE,
    warnings: embedded === null ? [WORDS_ALONE] : [],
  };
}

/** What is searched; meanwhile the question's vector is made. */
async function preparedTable(search: PassageParts['search'], space: StoredSpace, owner: Owner): Promise<ChunkTable> {
  const table = await search.chunks(space);
  await table.prepare(scopeKey(owner));
  return table;
}

/** The question's vector; null where its model does not give one in time. */
async function embedQuestion(
  { embed, log }: PassageParts,
  { model, dimensions }: StoredSpace,
  question: string,
  { signal, executionId, user }: { signal: AbortSignal; executionId: string; user: string },
): Promise<{ vector: Float32Array; usage: Usage } | null> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(EMBED_WITHIN_MS)]);
  const options = { signal: within, executionId, user, endsAt: performance.now() + EMBED_WITHIN_MS };
  try {
    const { vectors, usage } = await embed({ model, texts: [question], purpose: 'query' }, options);
    const [vector] = vectors;
    // What is computed here costs nothing, so that what the answer costs is known.
    const isOwn = model.startsWith('embedded/');
    if (vector?.length === dimensions) return { vector, usage: isOwn ? { ...usage, cost_usd: 0 } : usage };
    log.error({ model, dimensions, given: vector?.length }, 'the embedding model gave a vector of another length');
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ err: error, model, execution_id: executionId }, 'a question is searched by its words alone');
  }
  return null;
}
