import { newId, type Owner } from '@chorus/contract';
import { connectDatabase, type Database } from '@chorus/database';
import { connectRedis, createEventLog, type EventLog, type RedisConnection } from '@chorus/events';
import { createLogger } from '@chorus/log';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { executionRecord } from './execution-record.ts';
import { type Platform, startPlatform } from './platform.ts';
import { Transcript } from './transcript.ts';

const MAX_LENGTH = 100;
/** More than the log keeps, each so large that the sockets between API and client hold far fewer. */
const PIECES = Array.from({ length: 320 }, (_, number) => String(number).padEnd(30_000, '.'));

let platform: Platform;
let database: Database;
let redis: RedisConnection;
let log: EventLog;
let owner: Owner;

beforeAll(async () => {
  platform = await startPlatform({ textWorkers: 0 });
  database = await connectDatabase({ uri: platform.store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
  redis = connectRedis({ url: platform.redis.url, cluster: false }, 'worker');
  log = createEventLog(redis, { maxLength: MAX_LENGTH, keepMs: 60_000 });
  owner = { scope: 'personal', user_id: platform.client.userId, workspace_id: null };
});
afterAll(async () => {
  redis?.disconnect();
  await database?.close();
  await platform?.stop();
});
beforeEach(() => platform.showLogsOnFailure());

/** An execution of `source` whose whole text comes while its one reader, who has seen the first piece, reads nothing. */
async function readLate(source: Record<string, unknown>): Promise<{ transcript: Transcript; error: unknown }> {
  const id = newId('job');
  const record = executionRecord(owner, id, { status: 'running', input: { source }, started_at: new Date() });
  await database.executions.insert(record);
  const delta = (piece: string | undefined) => ({ type: 'text.delta' as const, index: 0, delta: piece ?? '' });
  await log.append(id, 1, -1, [{ type: 'execution.started', attempt: 1 }, delta(PIECES[0])]);

  const transcript = new Transcript();
  try {
    for await (const frame of await platform.client.events(id)) {
      transcript.add(frame);
      if (transcript.deltas.size !== 1) continue;
      for (const piece of PIECES.slice(1)) await log.append(id, 1, -1, [delta(piece)]);
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
    }
    return { transcript, error: null };
  } catch (error) {
    return { transcript, error };
  }
}

it('a reader that fell behind a trimmed log is given the text so far anew, then the rest', async () => {
  const { transcript, error } = await readLate({ type: 'session' });
  expect(error).toBeNull();
  expect(transcript.resets.at(-1)).toMatchObject({ reason: 'log_trimmed' });
  expect(transcript.terminal.type).toBe('execution.succeeded');
  expect(transcript.text === PIECES.join('')).toBe(true);
});

it("an OpenAI client that fell behind is cut off: it can't take text back, and would repeat it", async () => {
  const { transcript, error } = await readLate({ type: 'messages', messages: [] });
  expect(error).toMatchObject({ code: 'ECONNRESET' });
  expect(transcript.resets).toEqual([]);
  expect(PIECES.join('').startsWith(transcript.text)).toBe(true);
});
