import { randomUUID } from 'node:crypto';
import { NO_ACTOR, newId, type Owner } from '@chorus/contract';
import { removeMessage, removeSession, startTurn } from '@chorus/conversations';
import type { Database, ExecutionRecord, NewDeletion } from '@chorus/database';
import { EventWriter } from '@chorus/events';
import { deleteExecution, failedOutcome, newExecution, settle, terminalEvent } from '@chorus/executions';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenQueue, openQueue, personal, silent } from '../test-queue.ts';
import { createDeletions } from './deletions.ts';

let queue: OpenQueue;
let database: Database;
let dispatcher: ReturnType<OpenQueue['dispatcher']>;
const removedAssets: string[] = [];

beforeAll(async () => {
  queue = await openQueue();
  ({ database } = queue);
  dispatcher = queue.dispatcher();
});
afterAll(async () => {
  await dispatcher?.close();
  await queue?.close();
});

const auditContext = { actor: NO_ACTOR, audit: { record: async () => undefined }, publishToFeed: () => undefined };
const parts = () => ({
  database,
  eventLog: queue.eventLog,
  dispatcher,
  assets: {
    remove: async (owner: Owner, id: string) => {
      removedAssets.push(id);
      return database.assets.remove(owner, id);
    },
  },
  removeEntry: async () => undefined,
  blankQuotes: async () => undefined,
  log: silent,
});
const deletions = (over: Partial<ReturnType<typeof parts>> = {}) => createDeletions({ ...parts(), ...over });

const HOUR_MS = 3_600_000;
const later = (ms = HOUR_MS) => new Date(Date.now() + ms);

/** Creates a session with a finished turn whose question, answer, events, and failed job contain the word. */
async function talk(owner: Owner, word: string, sessionId?: string) {
  const executionId = newId('job');
  const request = { message: `Ask ${word}`, session_id: sessionId, model: 'm/x', executionId };
  const turn = await startTurn(database, owner, request);
  const { session_id, user_message_id, assistant_message_id } = turn;
  const input = { model: 'm/x', settings: {}, source: { type: 'session', ...turn, opening: `Ask ${word}` } };
  const record = newExecution({
    id: executionId,
    kind: 'chat.completion',
    owner,
    model: 'm/x',
    input,
    session_id,
    message_id: assistant_message_id,
    metadata: { word },
  });
  await database.executions.insert(record);
  const writer = writerOf(executionId);
  writer.emit({ type: 'text.delta', index: 0, delta: `Answer ${word}` });
  await writer.flush();
  const usage = { input_tokens: 3, output_tokens: 4, total_tokens: 7, cost_usd: null };
  const outcome = failedOutcome(new Error(word), null, { output: [{ type: 'text', text: `Answer ${word}` }], usage });
  const ended = (await settle(database, { owner, id: executionId, attempt: 1, outcome })) as ExecutionRecord;
  queue.eventLog.publishToFeed(owner, {
    type: 'execution.failed',
    execution_id: executionId,
    kind: record.kind,
    surface: record.surface,
    status: 'failed',
    session_id,
    batch_id: null,
    model: null,
    attempt: 1,
    duration_ms: 1,
    usage,
    output: [],
    asset_ids: [],
    error: { code: 'internal_error', message: word },
  });
  await writer.end(terminalEvent(ended));
  return { session_id, user_message_id, assistant_message_id, executionId, ended };
}

const writerOf = (executionId: string, base = 1) =>
  new EventWriter({
    log: queue.eventLog,
    executionId,
    attempt: 1,
    base,
    mayReset: true,
    onRefused: () => undefined,
    onCancelRequested: () => undefined,
  });

/** Returns the collections and Redis keys that contain a word. */
async function placesOf(word: string): Promise<string[]> {
  const places: string[] = [];
  for (const { name } of await queue.raw.listCollections().toArray()) {
    const all = await queue.raw.collection(name).find({}).toArray();
    if (JSON.stringify(all).includes(word)) places.push(name);
  }
  const { redis } = queue;
  if (!('keys' in redis)) throw new Error('expected a single Redis server');
  for (const key of await redis.keys('*')) {
    const type = await redis.type(key);
    const value =
      type === 'hash'
        ? await redis.hgetall(key)
        : type === 'stream'
          ? await redis.xrange(key, '-', '+')
          : type === 'string'
            ? await redis.get(key)
            : null;
    if (JSON.stringify([key, value]).includes(word)) places.push(key);
  }
  return places;
}

const UPLOAD = {
  kind: 'image',
  mime_type: 'image/png',
  size_bytes: 5,
  sha256: 'x',
  filename: 'a.png',
  width: 1,
  height: 1,
  duration_ms: null,
  perceptual_hash: null,
  thumbnail: 'none',
  execution_id: null,
  batch_id: null,
  output_index: null,
  file: null,
} as const;

const freshWord = () => `word${randomUUID().replaceAll('-', '')}`;
const sessionOf = (owner: Owner, id: string): NewDeletion => ({ kind: 'session', id, owner });

test('deletes the executions, events, jobs, feed entries, and stored answers of a session; keeps its usage', async () => {
  const owner = personal();
  const word = freshWord();
  const { session_id, executionId } = await talk(owner, word);
  await database.sessions.patch(owner, session_id, { metadata: { word } });
  const key = randomUUID();
  const now = new Date();
  const kept = { fingerprint: 'f', execution_id: null, answer: null, started_at: now, expires_at: later() };
  await database.idempotency.begin(owner, key, kept);
  await database.idempotency.complete(owner, key, JSON.stringify({ id: session_id, title: word }));
  await queue.queue.add('chat.completion', { word }, { jobId: executionId });
  await expect.poll(() => placesOf(word)).toContain(`chorus:{personal:${owner.user_id}}:feed`);
  expect(await placesOf(word)).toEqual(
    expect.arrayContaining([
      'executions',
      'sessions',
      'messages',
      'idempotency_keys',
      `{chorus:text}:text:${executionId}`,
    ]),
  );

  await deletions().carryOut(sessionOf(owner, session_id), () =>
    removeSession(database, owner, session_id, auditContext),
  );
  expect(await placesOf(word)).toEqual([]);
  expect(await database.executions.get(owner, executionId)).toBeNull();
  expect((await database.executions.list(owner, { limit: 10 })).data).toEqual([]);
  expect(await database.idempotency.begin(owner, key, kept)).toMatchObject({ gone: true, answer: null });
  const day = now.toISOString().slice(0, 10);
  const [used] = await database.usage.report(owner, { from: day, to: day });
  expect(used).toMatchObject({ executions: 1, total_tokens: 7 });
  await expect(
    deletions().carryOut(sessionOf(owner, session_id), () => removeSession(database, owner, session_id, auditContext)),
  ).rejects.toMatchObject({ code: 'not_found' });
});

test('deletes a message with the executions of its turn, and keeps the other turns', async () => {
  const owner = personal();
  const [word, other] = [freshWord(), freshWord()];
  const first = await talk(owner, word);
  const second = await talk(owner, other, first.session_id);
  for (const id of [first.user_message_id, first.assistant_message_id]) {
    const { session_id } = first;
    await deletions().carryOut({ kind: 'message', id, owner, session_id }, () =>
      removeMessage(database, owner, id, { expected: null, ...auditContext }),
    );
  }
  expect(await placesOf(word)).toEqual([]);
  expect(await database.executions.get(owner, second.executionId)).toMatchObject({ metadata: { word: other } });
  expect(await database.sessions.get(owner, first.session_id)).toMatchObject({ title: null, message_count: 2 });
});

test('deletes files that were uploaded for a temporary session, unless something else uses them', async () => {
  const owner = personal();
  const upload = async (created_at = new Date()) => {
    const asset = { ...UPLOAD, id: newId('asset'), owner, created_at };
    await database.assets.insert(asset);
    return asset.id;
  };
  const [alone, shared, read, old] = [await upload(), await upload(), await upload(), await upload(new Date(0))];
  const start = (attachments: string[], temporary: boolean) => {
    const request = { message: 'Look', attachments, model: 'm/x', temporary };
    return startTurn(database, owner, { ...request, executionId });
  };
  const executionId = newId('job');
  const { session_id } = await start([alone, shared, read, old], true);
  await database.sessions.release(owner, session_id, executionId);
  await start([shared], false);
  const reading = { id: newId('job'), kind: 'iris.ocr', owner, model: 'm/x', input: { asset_id: read } } as const;
  await database.executions.insert(newExecution(reading));
  await deletions().carryOut({ ...sessionOf(owner, session_id), assets: true }, () =>
    removeSession(database, owner, session_id, auditContext),
  );
  const kept = await Promise.all(
    [alone, shared, read, old].map(async (id) => (await database.assets.get(owner, id)) !== null),
  );
  expect(kept).toEqual([false, true, true, true]);
});

test('the sweep completes a deletion whose record has the earlier name of its files', async () => {
  const owner = personal();
  const files = [newId('asset'), newId('asset')] as const;
  for (const id of files) await database.assets.insert({ ...UPLOAD, id, owner, created_at: new Date() });
  const id = newId('job');
  const { deletion } = await database.deletions.begin(
    { kind: 'execution', id, owner, assets: true, asset_ids: [files[0]] },
    new Date(),
  );
  await queue.raw.collection('deletions').updateOne({ record_id: id }, { $rename: { asset_ids: 'recording_ids' } });
  await database.deletions.add(deletion, { asset_ids: [files[1]] });
  await deletions().sweep(later());
  expect(await Promise.all(files.map((file) => database.assets.get(owner, file)))).toEqual([null, null]);
});

test('deletes a finished job alone; its session and message stay', async () => {
  const owner = personal();
  const word = freshWord();
  const { session_id, assistant_message_id, executionId, ended } = await talk(owner, word);
  // Its worker died before it released the session.
  await queue.raw
    .collection<{ _id: string }>('sessions')
    .updateOne({ _id: session_id }, { $set: { active_execution_id: executionId, locked_at: new Date() } });
  await deletions().carryOut({ kind: 'execution', id: executionId, owner }, () =>
    deleteExecution(database, auditContext.audit, NO_ACTOR, ended),
  );
  expect(await database.executions.get(owner, executionId)).toBeNull();
  expect(await database.sessions.get(owner, session_id)).toMatchObject({ active_execution_id: null });
  expect(await database.messages.get(owner, assistant_message_id)).toMatchObject({ content: `Answer ${word}` });
  expect((await placesOf(word)).sort()).toEqual(['messages', 'sessions']);
});

test.each(['executions', 'idempotency', 'messages', 'eventLog'] as const)(
  'the sweep completes a deletion whose process dies at %s',
  async (where) => {
    const owner = personal();
    const word = freshWord();
    const { session_id } = await talk(owner, word);
    const dies = (): never => {
      throw new Error('killed');
    };
    const dying = deletions(
      where === 'eventLog'
        ? { eventLog: { ...queue.eventLog, seal: dies } as OpenQueue['eventLog'] }
        : {
            database: {
              ...database,
              ...(where === 'executions' && { executions: { ...database.executions, blank: dies } }),
              ...(where === 'idempotency' && { idempotency: { ...database.idempotency, clearAnswers: dies } }),
              ...(where === 'messages' && { messages: { ...database.messages, removeSome: dies } }),
            },
          },
    );
    const decide = () => removeSession(database, owner, session_id, auditContext);
    await expect(dying.carryOut(sessionOf(owner, session_id), decide)).rejects.toThrow('killed');
    expect(await placesOf(word)).not.toEqual([]);
    await deletions().sweep(later());
    expect(await placesOf(word)).toEqual([]);
    // Later passes finish and remove the deletion record itself.
    for (let pass = 0; pass < 4; pass++) await deletions().sweep(later());
    expect(await queue.raw.collection('deletions').countDocuments({ record_id: session_id })).toBe(0);
  },
);

test('continues an incomplete deletion when it is requested again', async () => {
  const owner = personal();
  const word = freshWord();
  const { session_id } = await talk(owner, word);
  const decide = () => removeSession(database, owner, session_id, auditContext);
  const messages = { ...database.messages, removeSome: () => Promise.reject(new Error('killed')) };
  const dying = deletions({ database: { ...database, messages } });
  await expect(dying.carryOut(sessionOf(owner, session_id), decide)).rejects.toThrow('killed');
  await deletions().carryOut(sessionOf(owner, session_id), decide);
  expect(await placesOf(word)).toEqual([]);
});

test('drops a deletion that was never decided, and leaves nothing of a refused one', async () => {
  const owner = personal();
  const word = freshWord();
  const { session_id } = await talk(owner, word);
  await database.deletions.begin(sessionOf(owner, session_id), new Date());
  await deletions().sweep(later());
  expect(await database.sessions.get(owner, session_id)).not.toBeNull();

  const executionId = newId('job');
  const turn = await startTurn(database, owner, { message: 'Go on', session_id, executionId });
  const refused = deletions().carryOut(sessionOf(owner, turn.session_id), () =>
    removeSession(database, owner, session_id, auditContext),
  );
  await expect(refused).rejects.toMatchObject({ code: 'session_locked' });
  // A request for a record of another owner leaves nothing and does not disturb that owner.
  const strangers = personal();
  const stranger = deletions().carryOut(sessionOf(strangers, session_id), () =>
    removeSession(database, strangers, session_id, auditContext),
  );
  await expect(stranger).rejects.toMatchObject({ code: 'not_found' });
  expect(await queue.raw.collection('deletions').countDocuments({ record_id: session_id })).toBe(0);
});

test('a late worker cannot write the text back', async () => {
  const owner = personal();
  const word = freshWord();
  const { session_id, executionId, assistant_message_id } = await talk(owner, word);
  await deletions().carryOut(sessionOf(owner, session_id), () =>
    removeSession(database, owner, session_id, auditContext),
  );

  const late = writerOf(executionId, 3);
  late.emit({ type: 'text.delta', index: 0, delta: word });
  await late.flush();
  expect(late.refused).toBe('ended');
  const outcome = failedOutcome(new Error(word), null, { output: [{ type: 'text', text: word }] });
  expect(await settle(database, { owner, id: executionId, attempt: 1, outcome }).catch(() => null)).toBeNull();
  const completed = { content: word, status: 'failed', usage: null, execution_id: executionId } as const;
  await database.messages.complete(owner, assistant_message_id, completed);
  expect(await database.executions.claim(owner, executionId, 2, new Date())).toBeNull();
  expect(await database.executions.saveCheckpoint(owner, executionId, 1, { word })).toBe(false);
  expect(await database.executions.isDeleted(executionId)).toBe(true);
  expect(await placesOf(word)).toEqual([]);
});

test('cancels an execution that starts in a session during its deletion, and blanks it once it has ended', async () => {
  const owner = personal();
  const word = freshWord();
  const { session_id } = await talk(owner, word);
  const id = newId('job');
  const asked = { said: { type: 'text', text: word }, chat: { session_id } };
  await deletions().carryOut(sessionOf(owner, session_id), async () => {
    await removeSession(database, owner, session_id, auditContext);
    await database.executions.insert(
      newExecution({ id, kind: 'voice.turn', owner, model: 'm/x', input: asked, session_id }),
    );
  });
  // No worker has it, so it ends at once.
  await expect.poll(async () => (await database.executions.listStates([id]))[0]?.status).toBe('cancelled');
  expect(await placesOf(word)).toEqual(['executions']);
  await deletions().sweep(later());
  expect(await placesOf(word)).toEqual([]);
});

test('deletes a session of a thousand messages in steps', async () => {
  const owner = personal();
  const word = freshWord();
  const { session_id } = await talk(owner, word);
  const [message] = (await database.messages.listBySession(owner, session_id, { limit: 1 })).data;
  for (let from = 2; from < 1_002; from += 250)
    await database.messages.insert(
      owner,
      Array.from({ length: 250 }, (_, at) => ({ ...message!, id: newId('message'), position: from + at })),
    );
  const steps: number[] = [];
  const messages = {
    ...database.messages,
    removeSome: async (of: Owner, id: string, limit: number) => {
      const removed = await database.messages.removeSome(of, id, limit);
      steps.push(removed.length);
      return removed;
    },
  };
  await deletions({ database: { ...database, messages } }).carryOut(sessionOf(owner, session_id), () =>
    removeSession(database, owner, session_id, auditContext),
  );
  expect(steps).toEqual([500, 500, 2]);
  expect(await placesOf(word)).toEqual([]);
});
