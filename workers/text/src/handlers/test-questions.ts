import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import { type JobInput, type JobOutput, newId, type Owner, PROVIDERS, type RunningEvent } from '@chorus/contract';
import { connectDatabase } from '@chorus/database';
import { ShownOutput } from '@chorus/events';
import { KnowledgeKeys, planEntry, searchScope } from '@chorus/knowledge';
import { findPassages, readDocument } from '@chorus/knowledge/answering';
import { createProviders, type Providers } from '@chorus/providers';
import { createLogger } from '@chorus/runtime/log';
import { openSearch } from '@chorus/search';
import { keptPlace, noDecisions, sharedStore, startFakeOpenAI } from '@chorus/testing';
import { createHandlers, type JobContext, type JobResult } from '@chorus/worker-kit';
import * as all from './index.ts';

const log = createLogger({ name: 'test', level: 'silent' });

type Kind = 'chat.completion' | 'knowledge.ask' | 'knowledge.search';

export const freshOwner = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

/** An indexed document and the texts of its chunks. */
export interface TestDocument {
  title: string;
  texts: string[];
  tags?: string[];
  page?: number;
  /** Whether it is for a conversation, and not shared. */
  isAttached?: boolean;
}

/** Connects questions to a store, an index, and a provider for one test. */
export async function startQuestions() {
  const [store, folder, fake] = await Promise.all([
    sharedStore(),
    mkdtemp(join(tmpdir(), 'chorus-questions-')),
    startFakeOpenAI({
      models: ['lastline', 'words-embedding'],
      script: ({ path, body }) =>
        path === '/v1/embeddings' && String(body.input).includes('unembeddable')
          ? { kind: 'fail', status: 401 }
          : undefined,
    }),
  ]);
  const database = await connectDatabase({ uri: store.uri, log });
  const search = openSearch({ location: join(folder, 'index'), log });
  const off = Object.fromEntries(PROVIDERS.map((name) => [name, { apiKey: null, baseUrl: null }]));
  const settings = { ...off, compatible: { apiKey: null, baseUrl: fake.url } } as Parameters<typeof createProviders>[0];
  const fallbacks = [['compatible/fail-500@extracts', 'embedded/assistant']];
  const providers: Providers = createProviders(settings, { log, fallbacks });
  await providers.ready();
  const blobs = createBlobs({ kind: 'files', folder }, log);
  const assets = createAssets({ database, blobs, log });
  const entries = { database, blobs, assets, keys: new KnowledgeKeys(database) };
  const passages = { database, search, embed: providers.embedTexts, log };
  const handlers = createHandlers('text', all, {
    database,
    assets,
    providers,
    findPassages: (...asked) => findPassages(passages, ...asked),
    readDocument: (entry) => readDocument(passages, entry),
    openTools: async () => [],
  });
  const signal = new AbortController().signal;
  const options = { signal, executionId: newId('job') };

  return {
    database,
    entries,
    fake,
    search,

    /** Indexes a document with embeddings of this model; one model per test. */
    async add(owner: Owner, document: TestDocument, model = 'compatible/words-embedding') {
      const { title, texts, tags = [], page, isAttached: for_conversation = false } = document;
      const material = { type: 'text', content: texts.join('\n\n'), format: 'markdown' } as const;
      const wanted = { material, title, tags, metadata: {}, on_duplicate: 'create', for_conversation } as const;
      const execution_id = newId('job');
      const plan = await planEntry(entries, owner, wanted);
      const id = (await plan.begin(execution_id)).input.entry_id;
      const scope = searchScope({ owner, session_ids: for_conversation ? [] : null });
      const { vectors, dimensions } = await providers.embedTexts({ model, texts, purpose: 'document' }, options);
      const { current } = await database.knowledgeSpaces.setFirst({ name: 'test', model, dimensions });
      const table = await search.chunks(current ?? { name: 'test', dimensions });
      const rows = texts.map((text, position) => ({
        id: `${id}:1:${position}`,
        scope_key: scope,
        entry_id: id,
        revision: 1,
        tags,
        title,
        text,
        heading_path: ['Part one'],
        page: page ?? null,
        position,
        vector: vectors[position] ?? null,
      }));
      await table.replace(scope, id, rows);
      const found = { execution_id, revision: 1, chunk_count: texts.length, embedding_model: model, spaces: ['test'] };
      await database.knowledge.publish(owner, id, found);
      return id;
    },

    /** Runs a handler as the worker kit does. */
    async run<K extends Kind>(kind: K, input: JobInput<K>, owner: Owner, onEvent = (_: RunningEvent) => {}) {
      const events: RunningEvent[] = [];
      const answer = new ShownOutput();
      const context: JobContext<Kind> = {
        input,
        owner,
        executionId: newId('job'),
        caller: { executionId: 'job_x', user: owner.user_id, isBatch: false },
        attempt: 1,
        signal,
        log,
        emit: (event) => {
          events.push(event);
          answer.add(event);
          onEvent(event);
          return undefined;
        },
        note: () => undefined,
        output: () => answer.output() as JobOutput<'chat.completion'>[],
        checkpoint: { value: null, save: async () => undefined },
        place: keptPlace,
        decisions: noDecisions,
      };
      const from = fake.requests.length;
      const handler = handlers[kind] as { run(context: JobContext<Kind>): ReturnType<(typeof handlers)[K]['run']> };
      const result: JobResult = await handler.run(context);
      const shown = events.flatMap((event) => (event.type === 'output.item' ? [event.item] : []));
      const asked = fake.requests
        .slice(from)
        .filter(({ path }) => path === '/v1/chat/completions')
        .map(({ body }) => (body as { messages: { role: string; content: string }[] }).messages);
      const citations = result.output.filter((item) => item.type === 'citation');
      const text = answer
        .output()
        .map((item) => (item.type === 'text' ? item.text : ''))
        .join('');
      return { result, text, shown, asked, citations, events };
    },

    async stop() {
      providers.close();
      search.close();
      await database.close();
      await Promise.all([store.stop(), fake.close(), rm(folder, { recursive: true, force: true })]);
    },
  };
}
