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
import { createLogger } from '@chorus/log';
import { createOcr } from '@chorus/ocr';
import { createOutbound } from '@chorus/outbound';
import { createProviders, type Providers } from '@chorus/providers';
import { openSearch } from '@chorus/search';
import { sharedStore, startFakeOpenAI } from '@chorus/testing';
import type { JobContext } from '@chorus/worker-kit';
import { type IngestionParts, knowledgeIngest } from './knowledge-ingest.ts';

const log = createLogger({ name: 'test', level: 'silent' });

export const freshOwner = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

/** A Markdown of so many sections, each too long to share its chunk with the next. */
export function longText(sections: number, word = 'garden'): string {
  const line = (number: number) =>
    `The ${word} number ${number} lies behind the house, and nobody has ever counted its trees. `;
  return Array.from({ length: sections }, (_, index) => `## Part ${index}\n\n${line(index).repeat(12)}\n`).join('\n');
}

/** All that an ingestion works with, over real stores of the test's own and a provider that remembers what it was asked. */
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
    /** The texts that were paid for, in the order in which they were asked for. */
    embedded: () =>
      fake.requests.flatMap(({ path, body }) => (path === '/v1/embeddings' ? (body.input as string[]) : [])),

    /** An entry that waits for its ingestion. */
    async create(owner: Owner, material: Material, over: { title?: string; tags?: string[] } = {}) {
      const wanted = { material, tags: [], metadata: {}, on_duplicate: 'create' as const, ...over };
      const plan = await planEntry(entryStore, owner, wanted);
      if ('duplicate' in plan) throw new Error('it was to be made in any case');
      const executionId = newId('job');
      const { input } = await plan.prepare(executionId);
      return { id: plan.entryId, executionId, input };
    },

    async revise(record: KnowledgeRecord, content: string) {
      const executionId = newId('job');
      const change = { content, format: 'markdown' as const, expected: null };
      const { input } = await planRevision(entryStore, record, change).prepare(executionId);
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

    /** What of an entry is in the index, in its order. */
    async indexed(owner: Owner, id: string, space?: StoredSpace) {
      const table = await search.chunks(space ?? (await this.space()));
      return table.read({ scopeKey: `personal:${owner.user_id}`, entryId: id, limit: 1_000 });
    },

    /** All that lies in object storage of an entry, by its name. */
    async files(id: string): Promise<string[]> {
      const prefix = await keys.ofEntry(id);
      const { blobs: found } = await blobs.list({ prefix });
      return found.map(({ key }) => key.slice(prefix.length)).sort();
    },

    async stop(): Promise<void> {
      await Promise.all([documents.close(), ocr.close(), fake.close()]);
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
  /** What an earlier attempt has left. */
  left?: unknown;
  /** Ends the attempt, as a worker that goes, before this stage shows so much. */
  dieAt?: { stage: IngestionStage; completed?: number };
  /** Whether others wait for its place, whenever it asks. */
  isWanted?: boolean;
}

/** One attempt at an ingestion, without a queue around it. */
export function attempt({ parts, owner, executionId, input, left = null, dieAt, isWanted = false }: Attempt) {
  const events: RunningEvent[] = [];
  const noted: Record<string, unknown> = {};
  const gone = new AbortController();
  let saved = left;
  const context: JobContext<'knowledge.ingest'> = {
    input,
    owner,
    executionId,
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
    place: {
      isWanted: async () => isWanted,
      giveBack: () => {
        gone.abort(new Error('gave its place back'));
        throw gone.signal.reason;
      },
    },
    text: () => '',
  };
  const stages = () => [...new Set(events.flatMap((one) => (one.type === 'progress' ? one.progress.stage : [])))];
  return { run: () => knowledgeIngest(parts).run(context), events, noted, stages, left: () => saved };
}
