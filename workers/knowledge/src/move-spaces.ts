import { ChorusError } from '@chorus/contract';
import type { Database, KnowledgeRecord, StoredSpace } from '@chorus/database';
import {
  embedRevision,
  indexRevision,
  isCurrentSpace,
  RevisionFiles,
  type RevisionStore,
  restoreIndex,
  searchScope,
  spaceOf,
} from '@chorus/knowledge';
import type { Providers } from '@chorus/providers';
import type { Logger } from '@chorus/runtime/log';
import type { Search } from '@chorus/search';

export interface MovingParts extends RevisionStore {
  database: Pick<Database, 'knowledge' | 'knowledgeSpaces'>;
  providers: Pick<Providers, 'embedTexts' | 'supports'>;
  search: Pick<Search, 'chunks' | 'dropChunks'>;
  log: Logger;
  signal: AbortSignal;
  /** Called on progress, to renew the lease. */
  onProgress?(): Promise<void>;
  /** How long the former space is kept for running questions; default: ten minutes. */
  keepFormerMs?: number;
}

const PAGE = 50;
const KEEP_FORMER_MS = 600_000;

/** Owner in provider logs. */
const LOG_OWNER = 'knowledge-index';

/**
 * Fills the space of the configured embedding model while questions search the current one, then switches them
 * and drops the former space. Does the same after an upgrade that changes the terms; vectors are then kept.
 * Resumes after a crash.
 *
 * @throws errors of embedding, {ChorusError} store_unavailable, the signal's reason
 */
export async function moveSpaces(parts: MovingParts): Promise<void> {
  const { database, providers, log } = parts;
  const { wanted, current, next, former } = await database.knowledgeSpaces.get();
  if (current === null || wanted === null) return;
  for (const { since, ...space } of former)
    if (Date.now() - since.getTime() > (parts.keepFormerMs ?? KEEP_FORMER_MS)) await dropSpace(parts, space, current);
  if (wanted === current.model && isCurrentSpace(current)) {
    if (next === null) return;
    await database.knowledgeSpaces.prepare(null);
    await dropSpace(parts, next, current);
    return;
  }
  if (!providers.supports(wanted)) {
    log.warn(
      { embedding_model: wanted },
      'no enabled provider has this embedding model; the current one is still searched',
    );
    return;
  }
  const target = next?.model === wanted && isCurrentSpace(next) ? next : await prepare(parts, wanted);
  await fill(parts, target);
  if (!(await database.knowledgeSpaces.switchTo(target))) return;
  await database.knowledge.setModel(target.name, target.model);
  log.info({ embedding_model: target.model }, 'questions now search the new embedding space');
  // Entries that became searchable during the switch.
  await fill(parts, target);
}

async function prepare({ database, providers, signal }: MovingParts, model: string): Promise<StoredSpace> {
  const call = { model, texts: ['How many dimensions?'], purpose: 'document' } as const;
  const { dimensions } = await providers.embedTexts(call, { signal, executionId: LOG_OWNER });
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
    if (document === null) throw new ChorusError('not_found', 'The text of this revision was deleted.');
    await embedRevision({
      files,
      model,
      pieceCount: document.piece_count,
      signal,
      embed: (texts, signal) =>
        providers.embedTexts({ model, texts, purpose: 'document' }, { signal, executionId: LOG_OWNER }),
      onKept: () => parts.onProgress?.(),
    });
    await indexRevision(search, space, entry, { files, revision, vectors: true });
  } catch (error) {
    // Must not block the others. A newer revision or a deletion may also have removed its files.
    if (!(error instanceof ChorusError && error.code === 'not_found')) throw error;
    log.warn({ entry_id: id, revision }, 'text for re-embedding not found');
  }
  if (!(await database.knowledge.addSpace(owner, id, revision, space.name))) await restoreIndex(parts, entry, revision);
  const newest = await database.knowledge.get(owner, id);
  if (newest !== null && newest.facts_revision !== entry.facts_revision) {
    const { title, tags } = newest;
    await (await search.chunks(space)).setFacts(searchScope(entry), id, { title, tags });
  }
}

async function dropSpace(parts: MovingParts, { name }: StoredSpace, current: StoredSpace): Promise<void> {
  const { database, search, log } = parts;
  await search.dropChunks(name);
  await database.knowledge.dropSpace(name);
  for (let after: string | undefined; ; ) {
    // Nothing is in this space yet, so this lists every searchable entry.
    const page = await database.knowledge.listOutside(name, { limit: PAGE, after });
    for (const { id, searchable_revision } of page) {
      await parts.onProgress?.();
      if (searchable_revision !== null)
        await new RevisionFiles(parts, id, searchable_revision).keepVectors([current.model]);
    }
    after = page.at(-1)?.id;
    if (page.length < PAGE) break;
  }
  await database.knowledgeSpaces.removeFormer(name);
  log.info({ space: name }, 'former embedding spaces dropped');
}
