import { newId, type Owner } from '@chorus/contract';
import { startTurn } from '@chorus/conversations';
import { connectDatabase, type Database, type ExecutionRecord } from '@chorus/database';
import { createLogger } from '@chorus/log';
import { expectedText } from '@chorus/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Payload } from '../event-stream.ts';
import { executionRecord } from '../execution-record.ts';
import type { Platform } from '../platform.ts';
import { poll } from '../poll.ts';
import { Watched } from '../watched.ts';

/** What a dead API or worker left is swept up within so long: the contract's 30 s, where the machine does nothing else. */
const SWEPT_WITHIN_MS = process.env.CHORUS_SOAK === '1' ? 30_000 : 90_000;

export function sweepJourneys(here: () => Platform): void {
  let platform: Platform;
  let database: Database;
  let owner: Owner;

  beforeAll(async () => {
    platform = here();
    database = await connectDatabase({ uri: platform.store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
    owner = { scope: 'personal', user_id: platform.client.userId, workspace_id: null };
  });
  afterAll(() => database?.close());

  /** A turn as an API that dies leaves it: session locked, messages stored, execution stored or not. */
  async function leaveTurn(
    stored: boolean,
    more: Partial<ExecutionRecord> = {},
  ): Promise<{ id: string; sessionId: string }> {
    const id = newId('job');
    const model = 'compatible/words-20';
    const { session_id, user_message_id, assistant_message_id } = await startTurn(database, owner, {
      message: 'Go.',
      model,
      executionId: id,
    });
    const source = { type: 'session', session_id, user_message_id, assistant_message_id };
    const input = { model, settings: {}, source };
    const record = executionRecord(owner, id, { input, session_id, message_id: assistant_message_id, ...more });
    if (stored) await database.executions.insert(record);
    return { id, sessionId: session_id };
  }

  it('is well where the pools that chats need have their workers', async () => {
    const health = await poll('the pools have told of themselves', async () => {
      const { body } = await platform.client.get('/chat/health');
      const system = body.pools.find(({ name }: Payload) => name === 'system');
      return system.workers === 2 ? body : undefined;
    });
    expect(health.status).toBe('ok');
    expect(health.pools).toContainEqual(expect.objectContaining({ name: 'system', status: 'ok' }));
  });

  const unlocked = async (sessionId: string) =>
    (await platform.client.get(`/sessions/${sessionId}`)).body.active_execution_id === null;

  it('runs within 30 s what was stored and never queued, and frees what was begun and never stored', {
    timeout: 120_000,
  }, async () => {
    const leftAt = performance.now();
    const left = () => SWEPT_WITHIN_MS - (performance.now() - leftAt);
    const [queued, begun, lost, told] = await Promise.all([
      leaveTurn(true),
      leaveTurn(false),
      // Its job is gone from the queue.
      leaveTurn(true, { status: 'running', started_at: new Date() }),
      // Its end is stored; the worker died before it told it and freed the session.
      leaveTurn(true, {
        status: 'succeeded',
        output: [{ type: 'text', text: 'The answer.' }],
        finished_at: new Date(),
      }),
    ]);
    const watched = new Watched(await platform.client.events(queued.id));

    const { terminal, text } = await watched.end();
    const took = performance.now() - leftAt;
    process.stdout.write(`sweep: queued again and done ${(took / 1_000).toFixed(1)} s after it was left\n`);
    expect(took).toBeLessThan(SWEPT_WITHIN_MS);
    expect(terminal.execution.status).toBe('succeeded');
    expect(text).toBe(expectedText('words-20'));
    expect((await platform.client.messages(queued.sessionId))[1]).toMatchObject({ content: text, status: 'succeeded' });

    expect(await platform.client.jobWith(lost.id, undefined, left())).toMatchObject({
      status: 'succeeded',
      attempt: 2,
      output: [{ text: expectedText('words-20') }],
    });

    await poll('the session that was only begun is free', () => unlocked(begun.sessionId), left());
    expect(await platform.client.messages(begun.sessionId)).toEqual([]);
    await poll('the session whose turn has ended is free', () => unlocked(told.sessionId), left());
    expect((await platform.client.messages(told.sessionId)).at(-1)).toMatchObject({
      content: 'The answer.',
      status: 'succeeded',
    });
    const replay = await (await platform.client.events(told.id, 0)).frames();
    expect(replay.at(-2)?.data.type).toBe('execution.succeeded');
    expect(replay.at(-1)?.data).toBeNull();
  });

  it('cancels what was to be cancelled and has no job', { timeout: 120_000 }, async () => {
    const { id, sessionId } = await leaveTurn(true);
    expect((await platform.client.post(`/jobs/${id}/cancel`)).body.status).toMatch(/^cancell/);
    const job = await platform.client.jobWith(id, ['cancelled'], SWEPT_WITHIN_MS);
    expect(job.finished_at).not.toBeNull();
    await poll('the session is free', () => unlocked(sessionId));
  });
}
