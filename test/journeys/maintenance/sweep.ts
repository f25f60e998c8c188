import { newId, type Owner } from '@chorus/contract';
import { startTurn } from '@chorus/conversations';
import { connectDatabase, type Database, type ExecutionRecord } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { expectedText } from '@chorus/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Payload } from '../event-stream.ts';
import { executionRecord } from '../execution-record.ts';
import type { Platform } from '../platform.ts';
import { poll } from '../poll.ts';
import { WatchedStream } from '../transcript.ts';

/** The contract's 30 s, on an idle machine. */
const SWEPT_WITHIN_MS = process.env.CHORUS_SOAK === '1' ? 30_000 : 90_000;

export function sweepJourneys(getPlatform: () => Platform): void {
  let platform: Platform;
  let database: Database;
  let owner: Owner;

  beforeAll(async () => {
    platform = getPlatform();
    database = await connectDatabase({ uri: platform.store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
    owner = { scope: 'personal', user_id: platform.client.userId, workspace_id: null };
  });
  afterAll(() => database?.close());

  /** Leaves a turn as a dying API does: session locked, messages stored, execution stored or not. */
  async function leaveTurn(
    stored: boolean,
    more: Partial<ExecutionRecord> = {},
  ): Promise<{ id: string; sessionId: string }> {
    const id = newId('job');
    const model = 'compatible/words-20';
    const { session_id, user_message_id, assistant_message_id } = await startTurn(database, owner, {
      message: 'Go.',
      executionId: id,
    });
    const source = { type: 'session', session_id, user_message_id, assistant_message_id };
    const input = { model, settings: {}, source };
    const record = executionRecord(owner, id, { input, session_id, message_id: assistant_message_id, ...more });
    if (stored) await database.executions.insert(record);
    return { id, sessionId: session_id };
  }

  it('is healthy while all chat pools have workers', async () => {
    const health = await poll('the pools have reported', async () => {
      const { body } = await platform.client.get('/chat/health');
      const maintenance = body.pools.find(({ name }: Payload) => name === 'maintenance');
      return maintenance.workers === 2 ? body : undefined;
    });
    expect(health.status).toBe('ok');
    expect(health.pools).toContainEqual(expect.objectContaining({ name: 'maintenance', status: 'ok' }));
  });

  const unlocked = async (sessionId: string) =>
    (await platform.client.get(`/sessions/${sessionId}`)).body.active_execution_id === null;

  it('runs stored but unqueued turns within 30 s, and frees sessions without an execution', {
    timeout: 120_000,
  }, async () => {
    const leftAt = performance.now();
    const left = () => SWEPT_WITHIN_MS - (performance.now() - leftAt);
    const [queued, begun, lost, unpublished] = await Promise.all([
      leaveTurn(true),
      leaveTurn(false),
      // Its job is missing from the queue.
      leaveTurn(true, { status: 'running', started_at: new Date() }),
      // The end is stored, but the worker died before it published the end and freed the session.
      leaveTurn(true, {
        status: 'succeeded',
        output: [{ type: 'text', text: 'The answer.' }],
        finished_at: new Date(),
      }),
    ]);
    const watched = new WatchedStream(await platform.client.events(queued.id));

    const { terminal, text } = await watched.end();
    const took = performance.now() - leftAt;
    process.stdout.write(`sweep: queued again and finished after ${(took / 1_000).toFixed(1)} s\n`);
    expect(took).toBeLessThan(SWEPT_WITHIN_MS);
    expect(terminal.execution.status).toBe('succeeded');
    expect(text).toBe(expectedText('words-20'));
    expect((await platform.client.messages(queued.sessionId))[1]).toMatchObject({ content: text, status: 'succeeded' });

    expect(await platform.client.waitForJob(lost.id, undefined, left())).toMatchObject({
      status: 'succeeded',
      attempt: 2,
      output: [{ text: expectedText('words-20') }],
    });

    await poll('the session without an execution is free', () => unlocked(begun.sessionId), left());
    expect(await platform.client.messages(begun.sessionId)).toEqual([]);
    await poll('the session whose turn has ended is free', () => unlocked(unpublished.sessionId), left());
    expect((await platform.client.messages(unpublished.sessionId)).at(-1)).toMatchObject({
      content: 'The answer.',
      status: 'succeeded',
    });
    const replay = await (await platform.client.events(unpublished.id, 0)).frames();
    expect(replay.at(-2)?.data.type).toBe('execution.succeeded');
    expect(replay.at(-1)?.data).toBeNull();
  });

  it('cancels executions with a requested cancel and no job', { timeout: 120_000 }, async () => {
    const { id, sessionId } = await leaveTurn(true);
    expect((await platform.client.post(`/jobs/${id}/cancel`)).body.status).toMatch(/^cancell/);
    const job = await platform.client.waitForJob(id, ['cancelled'], SWEPT_WITHIN_MS);
    expect(job.finished_at).not.toBeNull();
    await poll('the session is free', () => unlocked(sessionId));
  });
}
