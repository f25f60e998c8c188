import { ChorusError, type EntryItem, type IngestionStage, type Usage, usage as usageSchema } from '@chorus/contract';
import type { Database, IngestionFindings, KnowledgeRecord, StoredSpace } from '@chorus/database';
import { chunkInTurns, type Documents, type ParsedDocument } from '@chorus/documents';
import {
  type DocumentFacts,
  embedRevision,
  indexRevision,
  PIECES_PER_PART,
  publishRevision,
  RevisionFiles,
  type RevisionStore,
  removeEarlierFiles,
  shortened,
  spaceOf,
} from '@chorus/knowledge';
import type { Ocr } from '@chorus/ocr';
import type { Providers } from '@chorus/providers';
import { NO_USAGE, sumUsage } from '@chorus/providers/usage';
import type { Search } from '@chorus/search';
import type { Handler, JobContext, JobResult, Place } from '@chorus/worker-kit';
import { z } from 'zod';
import { gatherEmbeddings } from '../gather-embeddings.ts';
import { LongDocuments } from '../long-documents.ts';
import { readPagesOf } from '../read-pages.ts';
import { readPicturesOf } from '../read-pictures.ts';
import { shareReads } from '../share-reads.ts';
import { readShortSource, type SourceFile, type SourceParts, withSourceFile } from '../source-file.ts';
import { isSound, type SoundParts, transcribeSound } from '../transcribe-sound.ts';

export interface IngestionParts extends RevisionStore, SoundParts, Omit<SourceParts, 'blobs' | 'keys' | 'assets'> {
  assets: SourceParts['assets'] & { remove(owner: KnowledgeRecord['owner'], id: string): Promise<boolean> };
  database: Pick<Database, 'knowledge' | 'knowledgeSpaces'>;
  documents: Pick<Documents, 'parse' | 'parseText'>;
  ocr: Pick<Ocr, 'read' | 'engine'>;
  providers: Pick<Providers, 'embedTexts' | 'supports' | 'models' | 'transcribe'>;
  search: Pick<Search, 'chunks'>;
  /** The configured `provider/model`. */
  embeddingModel: string;
  /** Long documents to work on at once. */
  longDocuments: number;
}

/** Parts that the ingestions of a process share. */
interface SharedParts {
  embedTexts: Providers['embedTexts'];
  readSpaces: Database['knowledgeSpaces']['get'];
  longDocuments: LongDocuments;
}

type Job = JobContext<'knowledge.ingest'>;

/** Usage paid by earlier attempts. Their results are found in object storage. */
const checkpoint = z.object({ usage: usageSchema });

/** Makes a revision searchable. The files of each step let later attempts and executions resume. */
export const knowledgeIngest = (parts: IngestionParts): Handler<'knowledge.ingest'> => {
  const shared: SharedParts = {
    embedTexts: gatherEmbeddings(parts.providers.embedTexts),
    readSpaces: shareReads(() => parts.database.knowledgeSpaces.get()),
    longDocuments: new LongDocuments(parts.longDocuments),
  };
  return { run: (job) => new Ingestion(parts, shared, job).run() };
};

class Ingestion {
  readonly #parts: IngestionParts;
  readonly #shared: SharedParts;
  readonly #job: Job;
  readonly #files: RevisionFiles;
  #place: Place;
  /** The entry of a short text, which one attempt ingests without checkpoints or stages in the record. */
  #short: KnowledgeRecord | null = null;
  /** The model whose vectors are searched. */
  #model: string | null = null;
  #usage: Usage | null;
  #stage: IngestionStage | null = null;
  #indexed: KnowledgeRecord | null = null;

  constructor(parts: IngestionParts, shared: SharedParts, job: Job) {
    this.#parts = parts;
    this.#shared = shared;
    this.#job = job;
    this.#place = job.place;
    this.#files = new RevisionFiles(parts, job.input.entry_id, job.input.revision);
    this.#usage = checkpoint.safeParse(job.checkpoint.value).data?.usage ?? null;
  }

  async run(): Promise<JobResult<EntryItem>> {
    if (this.#job.input.duplicate) return this.#result(null, []);
    const entry = await this.#entry();
    if (entry.status === 'ready') return this.#result(entry.embedding_model, entry.warnings);
    try {
      const document = await this.#readShort(entry);
      if (document !== null) return await this.#finish(document);
    } catch (error) {
      await this.#saveStage().catch(() => undefined);
      throw error;
    }
    return this.#runLong(entry);
  }

  async #runLong(entry: KnowledgeRecord): Promise<JobResult<EntryItem>> {
    const { owner, signal, place } = this.#job;
    const user = owner.user_id;
    const end = await this.#shared.longDocuments.begin(user, signal);
    this.#place = this.#shared.longDocuments.placeOf(user, place);
    try {
      return await this.#finish((await this.#files.document()) ?? (await this.#read(entry)));
    } finally {
      end();
    }
  }

  async #finish(document: DocumentFacts): Promise<JobResult<EntryItem>> {
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
        this.#report('indexing', index + 1, made.length);
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
    if (this.#short !== null) {
      this.#report(stage, 0, 1);
      return;
    }
    const noted = await this.#parts.database.knowledge.saveProgress(owner, input.entry_id, executionId, {
      stage,
      ...known,
    });
    if (!noted) await this.#entry(); // gives the reason
    this.#report(stage, 0, 1);
    signal.throwIfAborted();
  }

  #report(stage: IngestionStage, completed: number, total: number): void {
    if (this.#stage === stage) this.#job.emit({ type: 'progress', progress: { completed, total, stage } });
  }

  /** Stores the stage at which a short text failed. */
  async #saveStage(): Promise<void> {
    const { input, owner, executionId } = this.#job;
    if (this.#stage !== null)
      await this.#parts.database.knowledge.saveProgress(owner, input.entry_id, executionId, { stage: this.#stage });
  }

  /** Runs the fetch, parse, and chunk stages of a short text. Returns null for any other source. */
  async #readShort(entry: KnowledgeRecord): Promise<DocumentFacts | null> {
    const { signal, owner, input, executionId } = this.#job;
    const { documents, database } = this.#parts;
    this.#stage = 'fetching';
    const source = await readShortSource(this.#parts, entry, signal);
    if (source === null) return null;
    this.#stage = 'parsing';
    const parsed = await documents.parseText(source);
    const pieces = await chunkInTurns(parsed, { signal });
    if (pieces.length > PIECES_PER_PART) return null;
    for (const stage of ['fetching', 'parsing', 'chunking'] as const) {
      this.#stage = stage;
      this.#report(stage, 0, 1);
    }
    const document = await this.#files.holdPieces(factsOf(source, parsed, pieces), pieces);
    this.#short = entry;
    const { title } = document;
    if (title !== null && title !== entry.title && !entry.title_given) {
      await database.knowledge.saveProgress(owner, input.entry_id, executionId, { stage: 'chunking', title });
      this.#short = await this.#entry();
    }
    return document;
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
      const onProgress = (done: number, total: number) => this.#report('parsing', done, total);
      const parsed = isSound(file)
        ? await this.#transcribe(file, onProgress)
        : await documents.parse(file, {
            signal,
            languages: entry.languages,
            onProgress,
            readPages: readPagesOf(ocr, this.#files, this.#place),
            readPictures: readPicturesOf(ocr, this.#files, this.#place),
          });
      await this.#enter('chunking');
      const pieces = await chunkInTurns(parsed, { signal });
      const facts = factsOf(file, parsed, pieces);
      const document = await this.#files.putPieces({ ...facts, warnings: [...facts.warnings, ...twin] }, pieces);
      await this.#files.dropPages();
      return document;
    });
  }

  #transcribe(file: SourceFile, onProgress: (done: number, total: number) => void): Promise<ParsedDocument> {
    const { owner, caller, signal } = this.#job;
    const onUsage = (used: Usage) => this.#spend(used);
    const options = { owner, caller, signal, files: this.#files, place: this.#place, onProgress, onUsage };
    return transcribeSound(this.#parts, file, options);
  }

  async #spend(used: Usage): Promise<void> {
    this.#usage = this.#usage === null ? used : sumUsage(this.#usage, used);
    this.#job.note({ usage: this.#usage });
    if (this.#short === null) await this.#job.checkpoint.save({ usage: this.#usage });
  }

  /** Returns a warning if another entry has the same content, which is known only after fetching. */
  async #twinOf({ id, owner }: KnowledgeRecord, sha256: string): Promise<string[]> {
    const twin = await this.#parts.database.knowledge.findContent(owner, sha256);
    return twin === null || twin.id === id ? [] : [`The same content already exists as ${twin.id}.`];
  }

  /** Returns the current and the next space if this revision is not in them yet. */
  async #missing(have: ReadonlyMap<string, StoredSpace>): Promise<{ model: string; space: StoredSpace | null }[]> {
    const { current, next } = await this.#shared.readSpaces();
    this.#model = current?.model ?? null;
    if (current === null) return [{ model: this.#parts.embeddingModel, space: null }];
    const needed = [current, ...(next === null ? [] : [next])];
    return needed.filter(({ name }) => !have.has(name)).map((space) => ({ model: space.model, space }));
  }

  async #embed(document: DocumentFacts, model: string, space: StoredSpace | null) {
    const { providers, database } = this.#parts;
    const { caller, signal, note } = this.#job;
    // Without its provider, only words can be searched until another model's index replaces this one.
    if (space !== null && !providers.supports(model)) return { space, vectors: false };
    note({ model, provider: model.split('/', 1)[0] as string });
    let done = 0;
    // Noted at once; only storing it may fail.
    const onUnfinished = (used: Usage) => void this.#spend(used).catch(() => undefined);
    const dimensions = await embedRevision({
      files: this.#files,
      model,
      pieceCount: document.piece_count,
      signal,
      pause: { isWanted: () => this.#place.isWanted(), stop: () => this.#place.giveBack() },
      embed: (texts, signal) =>
        this.#shared.embedTexts(
          { model, texts, purpose: 'document' },
          { signal, ...caller, isBatch: true, onUnfinished },
        ),
      onKept: (pieces, used) => {
        done += pieces;
        this.#report('embedding', done, document.piece_count);
        return used === null ? undefined : this.#spend(used);
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
    const entry = this.#short ?? (await this.#entry());
    // The earliest, so that later changes are applied to all spaces at the end.
    this.#indexed ??= entry;
    await indexRevision(this.#parts.search, space, entry, { files: this.#files, revision, vectors });
  }

  async #publish(document: DocumentFacts, spaces: Map<string, StoredSpace>): Promise<JobResult<EntryItem>> {
    const { input, owner, executionId, log } = this.#job;
    const { assets } = this.#parts;
    const indexed = this.#indexed ?? (await this.#entry());
    const model = this.#model;
    await this.#files.written();
    const published = await publishRevision(this.#parts, indexed, {
      execution_id: executionId,
      revision: input.revision,
      chunk_count: document.piece_count,
      embedding_model: model,
      spaces: [...spaces.keys()],
      found: { page_count: document.page_count, warnings: document.warnings },
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

  #result(model: string | null, warnings: string[]): JobResult<EntryItem> {
    const { input } = this.#job;
    return {
      output: [{ type: 'entry', entry_id: input.entry_id, duplicate: input.duplicate === true }],
      usage: this.#usage ?? NO_USAGE,
      model,
      provider: model?.split('/', 1)[0] ?? null,
      finish_reason: null,
      warnings,
    };
  }
}

/** @throws {ChorusError} invalid_request if there is no text */
function factsOf(
  { sizeBytes: size_bytes, sha256, mimeType: mime_type }: Pick<SourceFile, 'sizeBytes' | 'sha256' | 'mimeType'>,
  { title, pageCount: page_count, warnings }: ParsedDocument,
  pieces: readonly unknown[],
) {
  if (pieces.length === 0) throw new ChorusError('invalid_request', 'The document contains no text.');
  const known = title === null ? null : shortened(title) || null;
  return { title: known, page_count, warnings, size_bytes, sha256, mime_type };
}

function knownOf({ title, page_count, size_bytes, sha256, warnings }: DocumentFacts): IngestionFindings {
  return { ...(title === null ? {} : { title }), page_count, size_bytes, sha256, warnings };
}
