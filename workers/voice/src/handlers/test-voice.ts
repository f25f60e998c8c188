import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAssets } from '@chorus/assets';
import { createBlobs } from '@chorus/blobs';
import {
  type AgentWork,
  type JobInput,
  type JobKind,
  newId,
  type Owner,
  PROVIDERS,
  type ProviderName,
  type SpeechFormat,
  type VoiceTurnInput,
} from '@chorus/contract';
import { createVoiceStates, planTurn } from '@chorus/conversations';
import { connectDatabase } from '@chorus/database';
import { connectRedis, createEventHub, createEventLog, type EventReader, type StoredEvent } from '@chorus/events';
import { createProvenance } from '@chorus/provenance';
import { createProviders, type Providers } from '@chorus/providers';
import { createDispatcher } from '@chorus/queue';
import { createLogger } from '@chorus/runtime/log';
import { createSpeechEncoder, SoundDecoder } from '@chorus/speech';
import {
  type FakeOpenAIOptions,
  programOf,
  sharedStore,
  startFakeOpenAI,
  startRedis,
  TEST_SECRET_ENV,
  TEST_SECRET_KEY,
} from '@chorus/testing';
import { createHandlers, type RunningPool, startPool } from '@chorus/worker-kit';
import { expect } from 'vitest';
import type { AgentParts } from '../../../text/src/handlers/agent/agent-turn.ts';
import * as textHandlers from '../../../text/src/handlers/index.ts';
import * as handlers from './index.ts';
import type { VoiceParts } from './voice-parts.ts';

const MAIN = programOf('workers/voice/src/main.ts');

const log = createLogger({ name: 'test', level: 'silent' });

export const personal = (): Owner => ({ scope: 'personal', user_id: newId('user'), workspace_id: null });

export interface TurnOptions {
  said?: VoiceTurnInput['said'];
  /** Model that answers, and its fallbacks. */
  model?: string;
  fallbacks?: string[];
  agent?: AgentWork;
  session_id?: string;
  speech_model?: string;
  format?: SpeechFormat;
  stream?: boolean;
  /** State left by an earlier attempt. */
  chat?: VoiceTurnInput['chat'];
}

/** Runs workers for voice and text in this process, with a Redis, a store, and a provider for one test file. */
export async function startTestVoice(options: FakeOpenAIOptions = {}) {
  const [server, store, fake, folder] = await Promise.all([
    startRedis(),
    sharedStore(),
    startFakeOpenAI(options),
    mkdtemp(join(tmpdir(), 'chorus-voice-')),
  ]);
  const redisConfig = { url: server.url, cluster: false };
  const redis = connectRedis(redisConfig, 'worker');
  const subscriber = connectRedis(redisConfig, 'worker');
  for (const connection of [redis, subscriber]) connection.on('error', () => undefined);
  const database = await connectDatabase({ uri: store.uri, secretKey: TEST_SECRET_KEY, log });
  const hub = createEventHub(redis, subscriber, log);
  const eventLog = createEventLog(redis, { maxLength: 10_000, keepMs: 3_600_000 });
  const limits = { maxDepth: 1_000, maxAgeMs: 600_000 };
  const dispatcher = createDispatcher({ database, redis, hub, eventLog, limits, log });
  const blobs = createBlobs({ kind: 'files', folder: join(folder, 'blobs') }, log);
  const assets = createAssets({ database, blobs, log });
  const provenance = await createProvenance({ database, certificate: null, log });
  const at = (name: ProviderName) => (name === 'openai' || name === 'compatible' ? fake.url : null);
  const settings = PROVIDERS.map((name) => [name, { apiKey: at(name) && 'key', baseUrl: at(name) }]);
  const providers: Providers = createProviders(Object.fromEntries(settings), { log });
  await providers.ready();
  const states = createVoiceStates(redis);
  const decoder = new SoundDecoder();
  const pools = new Set<RunningPool>();
  const processes = new Set<ChildProcess>();
  const common = { redis: redisConfig, store: database, eventLog, concurrency: 8, log };
  const health = () => ({ models: [], providers: [], default_model: null });

  return {
    fake,
    database,
    redis,
    eventLog,
    states,
    assets,
    dispatcher,
    providers,

    /** Uploads samples as a file. */
    async upload(owner: Owner, pcm: Uint8Array) {
      const encoder = createSpeechEncoder('wav');
      await encoder.push(pcm);
      return assets.create({ owner, body: (await encoder.end()).file, filename: 'said.wav' });
    },

    /** @param tools the tools of every agent */
    async startText(tools: Awaited<ReturnType<AgentParts['openTools']>> = []) {
      const findPassages = () => Promise.reject(new Error('turns in this test use no knowledge'));
      const handlers = createHandlers('text', textHandlers, {
        database,
        assets,
        providers,
        findPassages,
        readDocument: findPassages,
        openTools: async () => tools,
      });
      const pool = await startPool({ ...common, pool: 'text', handlers, health });
      pools.add(pool);
      return pool;
    },

    /** @param over overrides parts */
    async startVoice(over: Partial<VoiceParts> = {}) {
      const parts = { database, eventLog, hub, states, dispatcher, assets, provenance, decoder, providers, ...over };
      const pool = await startPool({
        ...common,
        pool: 'voice',
        handlers: createHandlers('voice', handlers, parts),
        health,
      });
      pools.add(pool);
      return pool;
    },

    /** Starts a voice worker in its own process, which a test can kill. Resolves when it is ready. */
    async startVoiceProcess(): Promise<ChildProcess> {
      const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
      const given = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: fake.url, COMPATIBLE_BASE_URL: fake.url };
      const stores = { REDIS_URL: server.url, MONGODB_URI: store.uri, DATA_DIR: folder, ...TEST_SECRET_ENV };
      const child = spawn(process.execPath, [MAIN], {
        env: { PATH, HOME, NODE_COMPILE_CACHE, CHORUS_READY_FD: '3', ...stores, ...given },
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      });
      processes.add(child);
      await Promise.race([once(child.stdio[3]!, 'data'), once(child, 'exit')]);
      if (child.exitCode !== null) throw new Error(`the worker exited with ${child.exitCode}`);
      return child;
    },

    /** Expires the lock of a dead worker at once. */
    async runOut(id: string) {
      expect(await redis.del(`{chorus:voice}:voice:${id}:lock`)).toBe(1);
    },

    /** Starts a turn as the API does. */
    async dispatch(owner: Owner, over: TurnOptions) {
      const { said = { type: 'text', text: 'Go.' }, model = 'compatible/words-20', session_id, fallbacks } = over;
      const { speech_model = 'openai/gpt-4o-mini-tts', format = 'mp3', stream = true } = over;
      const chat: VoiceTurnInput['chat'] = over.chat ?? {
        ...planTurn(session_id),
        execution_id: newId('job'),
        settings: { model, settings: {}, ...(fallbacks && { fallbacks }), ...(over.agent && { agent: over.agent }) },
        opens: session_id === undefined,
        agent_id: null,
        api_key_id: null,
        request_id: 'req',
      };
      const input: VoiceTurnInput = {
        said,
        chat,
        speech: { model: speech_model, voice: null, format, stream },
      };
      const { record, reader } = await dispatcher.dispatch({
        kind: 'voice.turn',
        owner,
        model,
        input,
        session_id: chat.session_id,
        message_id: chat.assistant_message_id,
        requestId: 'req',
        follow: true,
      });
      if (reader === null) throw new Error('the execution was followed, so it has a reader');
      return { id: record.id, reader, chat };
    },

    /** Starts work of any kind as the API does. */
    async begin<K extends JobKind>(owner: Owner, kind: K, input: JobInput<K>) {
      const { record, reader } = await dispatcher.dispatch({
        kind,
        owner,
        model: null,
        input,
        requestId: 'req',
        follow: true,
      } as Parameters<typeof dispatcher.dispatch>[0]);
      if (reader === null) throw new Error('the execution was followed, so it has a reader');
      return { id: record.id, reader };
    },

    async stop() {
      for (const child of processes) child.kill('SIGKILL');
      await Promise.all([...pools].map((pool) => pool.close(0)));
      providers.close();
      provenance.close();
      decoder.close();
      blobs.close();
      await dispatcher.close();
      hub.close();
      redis.disconnect();
      await database.close();
      await Promise.all([server.stop(), store.stop(), fake.close(), rm(folder, { recursive: true, force: true })]);
    },
  };
}

/** Reads all events of an execution. */
export async function readAll(reader: EventReader): Promise<StoredEvent['event'][]> {
  const events: StoredEvent['event'][] = [];
  for (;;) {
    events.push(...(await reader.next()).map(({ event }) => event));
    const last = events.at(-1)?.type;
    if (last === 'execution.succeeded' || last === 'execution.failed' || last === 'execution.cancelled') {
      reader.close();
      return events;
    }
  }
}
