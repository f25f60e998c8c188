import { ChorusError, scopeKey } from '@chorus/contract';
import type { Database, KnowledgeRecord, StoredSpace } from '@chorus/database';
import {
  embedRevision,
  indexRevision,
  RevisionFiles,
  type RevisionStore,
  restoreIndex,
  spaceOf,
} from '@chorus/knowledge';
import type { Logger } from '@chorus/log';
import type { Providers } from '@chorus/providers';
import type { Search } from '@chorus/search';

export interface MovingParts extends RevisionStore {
  database: Pick<Database, 'knowledge' | 'knowledgeSpaces'>;
  providers: Pick<Providers, 'embedTexts' | 'supports'>;
  search: Pick<Search, 'chunks' | 'dropChunks'>;
  log: Logger;
  signal: AbortSignal;
  /** Called while there is progress, so that nobody else begins the same. */
  onProgress?(): Promise<void>;
  /** How long what was searched before is still there, for questions that have begun with it, in milliseconds; ten minutes unless said otherwise. */
  keepFormerMs?: number;
}

const PAGE = 50;
const KEEP_FORMER_MS = 600_000;

/** For the log of providers. */
const ON_BEHALF_OF = 'knowledge-index';

/**
 * Brings all that is searchable into the space of the embedding model that is configured, while questions search the one before; has them search the new one
 * when nothing is missing there; and drops what was searched before. What dies in the midst is gone on with: parts that were embedded are kept.
 *
 * @throws what embedding throws, {ChorusError} store_unavailable, the signal's reason
 */
export async function moveSpaces(parts: MovingParts): Promise<void> {
  const { database, providers, log } = parts;
  const { wanted, current, next, former } = await database.knowledgeSpaces.get();
  if (current === null || wanted === null) return;
  for (const { since, ...space } of former)
    if (Date.now() - since.getTime() > (parts.keepFormerMs ?? KEEP_FORMER_MS)) await dropSpace(parts, space, current);
  if (wanted === current.model) {
    if (next === null) return;
    await database.knowledgeSpaces.prepare(null);
    await dropSpace(parts, next, current);
    return;
  }
  if (!providers.supports(wanted)) {
    log.warn(
      { embedding_model: wanted },
      'no provider that is switched on has this embedding model; the one before is searched',
    );
    return;
  }
  const target = next?.model === wanted ? next : await prepare(parts, wanted);
  await fill(parts, target);
  if (!(await database.knowledgeSpaces.switchTo(target))) return;
  await database.knowledge.noteModel(target.name, target.model);
  log.info({ embedding_model: target.model }, 'questions search the vectors of another model');
  // What became searchable in the moment of the change.
  await fill(parts, target);
}

async function prepare({ database, providers, signal }: MovingParts, model: string): Promise<StoredSpace> {
  const call = { model, texts: ['How many dimensions?'], purpose: 'document' } as const;
  const { dimensions } = await providers.embedTexts(call, { signal, executionId: ON_BEHALF_OF });
  const space = spaceOf(model, dimensions);
  await database.knowledgeSpaces.prepare(space);
  return space;
}

async function fill(parts: MovingParts, space: StoredSpace): Promise<void> {
  for (let after: string | undefined; ; ) {
    const page = await parts.database.knowledge.listOutside(space.name, { limit: PAGE, after });
    for (const entry of page) {
      parts.signal.throwIfAborted();
      await parts.onProgress?.();
      await move(parts, entry, space);
    }
    after = page.at(-1)?.id;
    if (page.length < PAGE) return;
  }
}

async function move(parts: MovingParts, entry: KnowledgeRecord, space: StoredSpace): Promise<void> {
  const { database, providers, search, signal, log } = parts;
  const { id, owner, searchable_revision: revision } = entry;
  if (revision === null) return;
  const files = new RevisionFiles(parts, id, revision);
  const { model } = space;
  try {
    const document = await files.document();
    if (document === null) throw new ChorusError('not_found', 'The text of this revision is gone.');
    await embedRevision({
      files,
      model,
      pieceCount: document.piece_count,
      signal,
      embed: (texts, signal) =>
        providers.embedTexts({ model, texts, purpose: 'document' }, { signal, executionId: ON_BEHALF_OF }),
      onKept: () => parts.onProgress?.(),
    });
    await indexRevision(search, space, entry, { files, revision, vectors: true });
  } catch (error) {
    // It can't hold up all others for ever; nor can one whose newer revision, or deletion, took its files meanwhile.
    if (!(error instanceof ChorusError && error.code === 'not_found')) throw error;
    log.warn({ entry_id: id, revision }, 'the text of an entry is not there to be embedded anew');
  }
  if (!(await database.knowledge.addSpace(owner, id, revision, space.name)))
    await restoreIndex(parts, owner, id, revision);
  const newest = await database.knowledge.get(owner, id);
  if (newest !== null && newest.facts_revision !== entry.facts_revision) {
    const { title, tags } = newest;
    await (await search.chunks(space)).setFacts(scopeKey(owner), id, { title, tags });
  }
}

async function dropSpace(parts: MovingParts, { name }: StoredSpace, current: StoredSpace): Promise<void> {
  const { database, search, log } = parts;
  await search.dropChunks(name);
  await database.knowledge.dropSpace(name);
  for (let after: string | undefined; ; ) {
    // No entry is in it any more: these are all that are searchable.
    const page = await database.knowledge.listOutside(name, { limit: PAGE, after });
    for (const { id, searchable_revision } of page) {
      await parts.onProgress?.();
      if (searchable_revision !== null)
        await new RevisionFiles(parts, id, searchable_revision).keepVectors([current.model]);
    }
    after = page.at(-1)?.id;
    if (page.length < PAGE) break;
  }
  await database.knowledgeSpaces.forget(name);
  log.info({ space: name }, 'vectors that nobody searches any more are gone');
}
