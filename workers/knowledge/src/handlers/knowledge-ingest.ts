import { ChorusError, type IngestionStage, type Usage, usage as usageSchema } from '@chorus/contract';
import type { Database, IngestionFindings, KnowledgeRecord, StoredSpace } from '@chorus/database';
import { chunkInTurns, type Documents } from '@chorus/documents';
import {
  type DocumentFacts,
  embedRevision,
  indexRevision,
  publishRevision,
  RevisionFiles,
  type RevisionStore,
  removeEarlierFiles,
  shortened,
  spaceOf,
} from '@chorus/knowledge';
import type { Ocr } from '@chorus/ocr';
import type { Providers } from '@chorus/providers';
import type { Search } from '@chorus/search';
import type { Handler, JobContext, JobResult } from '@chorus/worker-kit';
import { z } from 'zod';
import { readPagesOf } from '../read-pages.ts';
import { readPicturesOf } from '../read-pictures.ts';
import { type SourceParts, withSourceFile } from '../source-file.ts';

export interface IngestionParts extends RevisionStore, Omit<SourceParts, 'blobs' | 'keys' | 'assets'> {
  assets: SourceParts['assets'] & { remove(owner: KnowledgeRecord['owner'], id: string): Promise<boolean> };
  database: Pick<Database, 'knowledge' | 'knowledgeSpaces'>;
  documents: Pick<Documents, 'parse'>;
  ocr: Pick<Ocr, 'read'>;
  providers: Pick<Providers, 'embedTexts' | 'supports'>;
  search: Pick<Search, 'chunks'>;
  /** The configured `provider/model`. */
  embeddingModel: string;
}

type Job = JobContext<'knowledge.ingest'>;

/** Usage paid by earlier attempts. Their results are found in object storage. */
const checkpoint = z.object({ usage: usageSchema });

const NO_USAGE: Usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null };

/** Makes a revision searchable. The files of each step let later attempts and executions resume. */
export const knowledgeIngest = (parts: IngestionParts): Handler<'knowledge.ingest'> => ({
  run: (job) => new Ingestion(parts, job).run(),
});

class Ingestion {
  readonly #parts: IngestionParts;
  readonly #job: Job;
  readonly #files: RevisionFiles;
  #usage: Usage | null;
  #stage: IngestionStage | null = null;
  #indexed: KnowledgeRecord | null = null;

  constructor(parts: IngestionParts, job: Job) {
    this.#parts = parts;
    this.#job = job;
    this.#files = new RevisionFiles(parts, job.input.entry_id, job.input.revision);
    this.#usage = checkpoint.safeParse(job.checkpoint.value).data?.usage ?? null;
  }

  async run(): Promise<JobResult<never>> {
    const entry = await this.#entry();
    if (entry.status === 'ready') return this.#result(entry.embedding_model, entry.warnings);
    const document = (await this.#files.document()) ?? (await this.#read(entry));
    await this.#enter('embedding', knownOf(document));
    const spaces = new Map<string, StoredSpace>();
    for (;;) {
      const missing = await this.#missing(spaces);
      if (missing.length === 0) break;
      const made: { space: StoredSpace; vectors: boolean }[] = [];
      for (const { model, space } of missing) made.push(await this.#embed(document, model, space));
      await this.#enter('indexing');
      for (const [index, { space, vectors }] of made.entries()) {
        await this.#index(space, vectors);
        this.#tell('indexing', index + 1, made.length);
        spaces.set(space.name, space);
      }
    }
    return this.#publish(document, spaces);
  }

  /** @throws {ChorusError} `cancelled` if it was deleted or changed again */
  async #entry(): Promise<KnowledgeRecord> {
    const { input, owner, executionId } = this.#job;
    const entry = await this.#parts.database.knowledge.get(owner, input.entry_id);
    if (entry === null) throw new ChorusError('cancelled', 'The entry was deleted.');
    if (entry.revision !== input.revision || entry.execution_id !== executionId)
      throw new ChorusError('cancelled', 'Another ingestion of this entry was started.');
    return entry;
  }

  async #enter(stage: IngestionStage, known: IngestionFindings = {}): Promise<void> {
    const { input, owner, executionId, signal } = this.#job;
    signal.throwIfAborted();
    this.#stage = stage;
    const noted = await this.#parts.database.knowledge.saveProgress(owner, input.entry_id, executionId, {
      stage,
      ...known,
    });
    if (!noted) await this.#entry(); // gives the reason
    this.#tell(stage, 0, 1);
    signal.throwIfAborted();
  }

  #tell(stage: IngestionStage, completed: number, total: number): void {
    if (this.#stage === stage) this.#job.emit({ type: 'progress', progress: { completed, total, stage } });
  }

  /** Runs the fetch, parse, and chunk stages. */
  async #read(entry: KnowledgeRecord): Promise<DocumentFacts> {
    const { signal } = this.#job;
    const { documents, ocr } = this.#parts;
    await this.#enter('fetching');
    return withSourceFile(this.#parts, entry, signal, async (file) => {
      const { sizeBytes: size_bytes, sha256, mimeType: mime_type } = file;
      const isUrl = entry.source.type === 'url';
      const twin = isUrl ? await this.#twinOf(entry, sha256) : [];
      await this.#enter('parsing', { size_bytes, sha256, ...(isUrl ? { mime_type } : {}) });
      const parsed = await documents.parse(file, {
        signal,
        languages: entry.languages,
        onProgress: (done, total) => this.#tell('parsing', done, total),
        readPages: readPagesOf(ocr, this.#files, this.#job.place),
        readPictures: readPicturesOf(ocr, this.#files, this.#job.place),
      });
      await this.#enter('chunking');
      const pieces = await chunkInTurns(parsed, { signal });
      if (pieces.length === 0) throw new ChorusError('invalid_request', 'The document contains no text.');
      const { title, pageCount: page_count, warnings } = parsed;
      const facts = {
        title: title === null ? null : shortened(title) || null,
        page_count,
        warnings: [...warnings, ...twin],
        size_bytes,
        sha256,
        mime_type,
      };
      const document = await this.#files.putPieces(facts, pieces);
      await this.#files.dropPages();
      return document;
    });
  }

  /** Returns a warning if another entry has the same content, which is known only after fetching. */
  async #twinOf({ id, owner }: KnowledgeRecord, sha256: string): Promise<string[]> {
    const twin = await this.#parts.database.knowledge.findContent(owner, sha256);
    return twin === null || twin.id === id ? [] : [`The same content already exists as ${twin.id}.`];
  }

  /** Returns the current and the next space if this revision is not in them yet. */
  async #missing(have: ReadonlyMap<string, StoredSpace>): Promise<{ model: string; space: StoredSpace | null }[]> {
    const { current, next } = await this.#parts.database.knowledgeSpaces.get();
    if (current === null) return [{ model: this.#parts.embeddingModel, space: null }];
    const needed = [current, ...(next === null ? [] : [next])];
    return needed.filter(({ name }) => !have.has(name)).map((space) => ({ model: space.model, space }));
  }

  async #embed(document: DocumentFacts, model: string, space: StoredSpace | null) {
    const { providers, database } = this.#parts;
    const { owner, executionId, signal, note, checkpoint } = this.#job;
    // Without its provider, only words can be searched until another model's index replaces this one.
    if (space !== null && !providers.supports(model)) return { space, vectors: false };
    note({ model, provider: model.split('/', 1)[0] as string });
    let done = 0;
    const dimensions = await embedRevision({
      files: this.#files,
      model,
      pieceCount: document.piece_count,
      signal,
      pause: { isWanted: () => this.#job.place.isWanted(), stop: () => this.#job.place.giveBack() },
      embed: (texts, signal) =>
        providers.embedTexts({ model, texts, purpose: 'document' }, { signal, executionId, user: owner.user_id }),
      onKept: (pieces, used) => {
        done += pieces;
        this.#tell('embedding', done, document.piece_count);
        if (used === null) return;
        this.#usage = this.#usage === null ? used : sum(this.#usage, used);
        note({ usage: this.#usage });
        return checkpoint.save({ usage: this.#usage });
      },
    });
    if (space !== null && space.dimensions !== dimensions)
      throw new ChorusError(
        'provider_error',
        `${model} returns vectors of ${dimensions} dimensions, but the index has ${space.dimensions}.`,
      );
    const used = space ?? spaceOf(model, dimensions);
    if (space === null) await database.knowledgeSpaces.setFirst(used);
    return { space: used, vectors: true };
  }

  async #index(space: StoredSpace, vectors: boolean): Promise<void> {
    const { revision } = this.#job.input;
    this.#job.signal.throwIfAborted();
    const entry = await this.#entry();
    // The earliest, so that later changes are applied to all spaces at the end.
    this.#indexed ??= entry;
    await indexRevision(this.#parts.search, space, entry, { files: this.#files, revision, vectors });
  }

  async #publish(document: DocumentFacts, spaces: Map<string, StoredSpace>): Promise<JobResult<never>> {
    const { input, owner, executionId, log } = this.#job;
    const { database, assets } = this.#parts;
    const indexed = this.#indexed ?? (await this.#entry());
    const { current } = await database.knowledgeSpaces.get();
    const model = current?.model ?? null;
    const published = await publishRevision(this.#parts, indexed, {
      execution_id: executionId,
      revision: input.revision,
      chunk_count: document.piece_count,
      embedding_model: model,
      spaces: [...spaces.keys()],
    });
    if (published === null) throw new ChorusError('cancelled', 'Another ingestion of this entry was started.');
    try {
      await removeEarlierFiles(this.#parts, published);
      for (const asset of indexed.former_asset_ids) await assets.remove(owner, asset);
    } catch (err) {
      log.warn({ err, entry_id: input.entry_id }, 'files of earlier revisions not deleted');
    }
    return this.#result(model, document.warnings);
  }

  #result(model: string | null, warnings: string[]): JobResult<never> {
    return {
      output: [],
      usage: this.#usage ?? NO_USAGE,
      model,
      provider: model?.split('/', 1)[0] ?? null,
      finish_reason: null,
      warnings,
    };
  }
}

function knownOf({ title, page_count, size_bytes, sha256, warnings }: DocumentFacts): IngestionFindings {
  return { ...(title === null ? {} : { title }), page_count, size_bytes, sha256, warnings };
}

/** An unknown cost makes the sum unknown. */
function sum(one: Usage, other: Usage): Usage {
  return {
    input_tokens: one.input_tokens + other.input_tokens,
    output_tokens: one.output_tokens + other.output_tokens,
    total_tokens: one.total_tokens + other.total_tokens,
    cost_usd: one.cost_usd === null || other.cost_usd === null ? null : one.cost_usd + other.cost_usd,
  };
}
