import { readFile } from 'node:fs/promises';
import { newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { connectRedis, createEventLog, type EventLog, type RedisConnection } from '@chorus/events';
import { createLogger } from '@chorus/runtime/log';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { EventStream } from './event-stream.ts';
import { executionRecord } from './execution-record.ts';
import { type Platform, startPlatform } from './platform.ts';
import { poll } from './poll.ts';
import { Transcript } from './transcript.ts';

const SOAK = process.env.CHORUS_SOAK === '1';
/** Log limits: trimmed soon, and never trimmed. */
const SHORT = 100;
const LONG = 10_000;
/** More pieces than a short log keeps. Each is large for the socket buffers, but small enough to publish whole. */
const PIECES = Array.from({ length: 320 }, (_, number) => String(number).padEnd(30_000, '.'));

/** Clients that do not read: together 150 MB (soak: 770), of which socket buffers hold less than half. */
const IDLE_CLIENTS = 16;
const ROUNDS = SOAK ? 5 : 1;
/** Heap limit of the API, which uses about 50 MB when idle; buffering the text would crash it. */
const HEAP_MB = 112;

let platform: Platform;
let database: Database;
let redis: RedisConnection;
let owner: Owner;

beforeAll(async () => {
  platform = await startPlatform({ textWorkers: 0 });
  database = await connectDatabase({ uri: platform.store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
  redis = connectRedis({ url: platform.redis.url, cluster: false }, 'worker');
  owner = { scope: 'personal', user_id: platform.client.userId, workspace_id: null };
});
afterAll(async () => {
  redis?.disconnect();
  await database?.close();
  await platform?.stop();
});
beforeEach(() => platform.showLogsOnFailure());

const delta = (piece: string | undefined) => ({ type: 'text.delta' as const, index: 0, delta: piece ?? '' });

async function startExecution(source: Record<string, unknown>, maxLength: number, rounds = 1) {
  const id = newId('job');
  const record = executionRecord(owner, id, { status: 'running', input: { source }, started_at: new Date() });
  await database.executions.insert(record);
  const log: EventLog = createEventLog(redis, { maxLength, keepMs: 60_000 });
  await log.append(id, 1, -1, [{ type: 'execution.started', attempt: 1 }, delta(PIECES[0])]);
  const pieces = Array.from({ length: rounds }, () => PIECES).flat();
  const tellAll = async () => {
    for (const piece of pieces.slice(1)) await log.append(id, 1, -1, [delta(piece)]);
    const { usage, model, provider } = record;
    await database.executions.finish(owner, id, 1, {
      status: 'succeeded',
      output: [],
      usage,
      error: null,
      model,
      provider,
      finish_reason: 'stop',
      finished_at: new Date(),
    });
    await log.append(id, 1, -1, [{ type: 'execution.succeeded' }]);
  };
  return { id, text: pieces.join(''), tellAll };
}

async function readLate(source: Record<string, unknown>): Promise<{ transcript: Transcript; error: unknown }> {
  const { id, tellAll } = await startExecution(source, SHORT);
  const transcript = new Transcript();
  try {
    for await (const frame of await platform.client.events(id)) {
      transcript.add(frame);
      if (transcript.deltas.size === 1) await tellAll();
    }
    return { transcript, error: null };
  } catch (error) {
    return { transcript, error };
  }
}

async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024;
}

it('resets a reader that fell behind a trimmed log, then continues', async () => {
  const { transcript, error } = await readLate({ type: 'session' });
  expect(error).toBeNull();
  expect(transcript.resets.at(-1)).toMatchObject({ reason: 'log_trimmed' });
  expect(transcript.terminal.type).toBe('execution.succeeded');
  expect(transcript.text === PIECES.join('')).toBe(true);
});

it('disconnects an OpenAI client that fell behind, because it cannot take text back', async () => {
  const { transcript, error } = await readLate({ type: 'messages', messages: [] });
  expect(error).toMatchObject({ code: 'ECONNRESET' });
  expect(transcript.resets).toEqual([]);
  expect(PIECES.join('').startsWith(transcript.text)).toBe(true);
});

it.runIf(process.platform === 'linux')(
  "keeps unread text in the log instead of the API's memory",
  { timeout: 180_000 },
  async () => {
    const { client } = platform;
    const api = await platform.startApi({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });
    const { pid, url } = api;
    const { id, text, tellAll } = await startExecution({ type: 'session' }, LONG, ROUNDS);
    const idle: EventStream[] = await Promise.all(
      Array.from({ length: IDLE_CLIENTS }, () => client.events(id, 0, { url })),
    );
    const before = await residentMb(pid);
    await tellAll();
    process.stdout.write(
      `slow clients: ${IDLE_CLIENTS} of them grew the API from ${before.toFixed(0)} to ${(await residentMb(pid)).toFixed(0)} MB\n`,
    );
    expect(api.alive).toBe(true);

    // Clients that start reading get everything.
    for (const stream of idle.slice(0, 2)) {
      const transcript = Transcript.of(await stream.frames());
      expect(transcript.resets).toEqual([]);
      expect(transcript.text === text).toBe(true);
      expect(transcript.terminal.type).toBe('execution.succeeded');
    }
    for (const stream of idle) stream.drop();
    await poll('the streams are closed', async () =>
      /^chorus_open_streams 0$/m.test((await client.get('/metrics', { url })).body),
    );
  },
);
