import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AssetStore, createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import {
  type IngestionStage,
  type KnowledgeIngestInput,
  newId,
  type Owner,
  PROVIDERS,
  type RunningEvent,
} from '@chorus/contract';
import { connectDatabase, type KnowledgeRecord, type StoredSpace } from '@chorus/database';
import { createDocuments } from '@chorus/documents';
import { KnowledgeKeys, type Material, planEntry, planRevision } from '@chorus/knowledge';
import { createOcr } from '@chorus/ocr';
import { createOutbound } from '@chorus/outbound';
import { createProviders, type Providers } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { openSearch } from '@chorus/search';
import { SoundDecoder } from '@chorus/speech';
import { noDecisions, sharedStore, startFakeOpenAI } from '@chorus/testing';
import type { JobContext } from '@chorus/worker-kit';
import { type IngestionParts, knowledgeIngest } from './knowledge-ingest.ts';

const log = createLogger({ name: 'test', level: 'silent' });

export const freshOwner = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

/** Returns Markdown whose sections are too long to share a chunk. */
export function longText(sections: number, word = 'garden'): string {
  const line = (number: number) =>
    `The ${word} number ${number} lies behind the house, and nobody has ever counted its trees. `;
  return Array.from({ length: sections }, (_, index) => `## Part ${index}\n\n${line(index).repeat(12)}\n`).join('\n');
}

/** Connects ingestions to real stores for one test, and a provider that records its requests. */
export async function startIngestion() {
  const [store, folder, fake] = await Promise.all([
    sharedStore(),
    mkdtemp(join(tmpdir(), 'chorus-ingestion-')),
    startFakeOpenAI({ models: ['words-embedding', 'other-embedding'] }),
  ]);
  const database = await connectDatabase({ uri: store.uri, log });
  const blobs = createBlobs({ kind: 'files', folder: join(folder, 'blobs') }, log);
  const keys = new KnowledgeKeys(database);
  const assets: AssetStore = createAssets({ database, blobs, log });
  const documents = createDocuments({ log, processes: 1 });
  const ocr = createOcr({ processes: 1, log });
  const search = openSearch({ location: join(folder, 'index'), log });
  const off = Object.fromEntries(PROVIDERS.map((name) => [name, { apiKey: null, baseUrl: null }]));
  const settings = { ...off, compatible: { apiKey: null, baseUrl: fake.url } } as Parameters<typeof createProviders>[0];
  const providers: Providers = createProviders(settings, { log });
  await providers.ready();
  const decoder = new SoundDecoder();
  const parts: IngestionParts = {
    assets,
    blobs,
    keys,
    database,
    documents,
    ocr,
    outbound: createOutbound({ allow: [{ address: '127.0.0.0', prefix: 8, family: 'ipv4' }] }),
    providers,
    search,
    embeddingModel: 'compatible/words-embedding',
    decoder,
    transcriptionModel: null,
    longDocuments: 3,
    maxBytes: 50_000_000,
  };
  const entryStore = { database, blobs, assets, keys };

  return {
    parts,
    database,
    assets,
    search,
    blobs,
    fake,
    entryStore,
    /** Texts sent for embedding, in order. */
    embedded: () =>
      fake.requests.flatMap(({ path, body }) => (path === '/v1/embeddings' ? (body.input as string[]) : [])),

    /** Creates an entry that waits for ingestion. */
    async create(owner: Owner, material: Material, over: { title?: string; tags?: string[] } = {}) {
      const wanted = { material, tags: [], metadata: {}, on_duplicate: 'create' as const, ...over };
      const plan = await planEntry(entryStore, owner, wanted);
      const executionId = newId('job');
      const { input } = await plan.begin(executionId);
      return { id: input.entry_id, executionId, input };
    },

    async revise(record: KnowledgeRecord, content: string) {
      const executionId = newId('job');
      const change = { content, format: 'markdown' as const };
      const { input } = await planRevision(entryStore, record, change).begin(executionId);
      return { id: record.id, executionId, input };
    },

    async entry(owner: Owner, id: string): Promise<KnowledgeRecord> {
      const record = await database.knowledge.get(owner, id);
      if (record === null) throw new Error(`${id} is gone`);
      return record;
    },

    async space(): Promise<StoredSpace> {
      const { current } = await database.knowledgeSpaces.get();
      if (current === null) throw new Error('nothing was embedded');
      return current;
    },

    /** Returns the indexed chunks of an entry, in order. */
    async indexed(owner: Owner, id: string, space?: StoredSpace) {
      const table = await search.chunks(space ?? (await this.space()));
      return table.read({ scopeKey: `personal:${owner.user_id}`, entryId: id, limit: 1_000 });
    },

    /** Returns the file names of an entry in object storage. */
    async files(id: string): Promise<string[]> {
      const prefix = await keys.ofEntry(id);
      const { blobs: found } = await blobs.list({ prefix });
      return found.map(({ key }) => key.slice(prefix.length)).sort();
    },

    async stop(): Promise<void> {
      await Promise.all([documents.close(), ocr.close(), fake.close()]);
      decoder.close();
      providers.close();
      search.close();
      blobs.close();
      await database.close();
      await Promise.all([store.stop(), rm(folder, { recursive: true, force: true })]);
    },
  };
}

export type TestIngestion = Awaited<ReturnType<typeof startIngestion>>;

interface Attempt {
  parts: IngestionParts;
  owner: Owner;
  executionId: string;
  input: KnowledgeIngestInput;
  /** State left by an earlier attempt. */
  left?: unknown;
  /** Ends the attempt, as if its worker died, when this progress is reached. */
  dieAt?: { stage: IngestionStage; completed?: number };
  /** Whether another job always waits for the slot. */
  isWanted?: boolean;
}

/** Runs one attempt at an ingestion without a queue. */
export function attempt({ parts, owner, executionId, input, left = null, dieAt, isWanted = false }: Attempt) {
  const events: RunningEvent[] = [];
  const noted: Record<string, unknown> = {};
  const gone = new AbortController();
  let saved = left;
  const context: JobContext<'knowledge.ingest'> = {
    input,
    owner,
    executionId,
    caller: { executionId, user: owner.user_id, isBatch: false },
    attempt: 1,
    signal: gone.signal,
    log,
    emit: (event) => {
      events.push(event);
      if (event.type !== 'progress' || dieAt === undefined) return undefined;
      const { stage, completed } = event.progress;
      if (stage === dieAt.stage && completed >= (dieAt.completed ?? 0)) gone.abort(new Error(`died at ${stage}`));
      return undefined;
    },
    note: (known) => Object.assign(noted, known),
    checkpoint: {
      get value() {
        return saved;
      },
      save: async (value) => {
        gone.signal.throwIfAborted();
        saved = value;
      },
    },
    decisions: noDecisions,
    place: {
      isWanted: async () => isWanted,
      giveBack: () => {
        gone.abort(new Error('yielded its slot'));
        throw gone.signal.reason;
      },
    },
    output: () => [],
  };
  const stages = () => [...new Set(events.flatMap((one) => (one.type === 'progress' ? one.progress.stage : [])))];
  return { run: () => knowledgeIngest(parts).run(context), events, noted, stages, left: () => saved };
}
