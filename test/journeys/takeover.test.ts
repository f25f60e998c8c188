import { newId, type Owner } from '@chorus/contract';
import { startTurn } from '@chorus/conversations';
import { connectDatabase, type Database, type ExecutionRecord } from '@chorus/database';
import { createLogger } from '@chorus/log';
import { expectedText } from '@chorus/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EventStream, Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import type { PlatformProcess } from './platform-process.ts';
import { poll } from './poll.ts';
import { Transcript } from './transcript.ts';

/** The contract's: a killed worker's turn is taken over within 15 s, what a dead API left is swept up within 30 s. */
const TAKEN_OVER_WITHIN_MS = 15_000;
const SWEPT_WITHIN_MS = 30_000;

let platform: Platform;
let workers: PlatformProcess[] = [];

beforeAll(async () => {
  platform = await startPlatform({ textWorkers: 0 });
});
afterAll(() => platform?.stop());
beforeEach(() => platform.showLogsOnFailure());
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
  workers = [];
});

async function startWorker(env: Record<string, string> = {}): Promise<PlatformProcess> {
  const worker = await platform.startTextWorker(env);
  workers.push(worker);
  return worker;
}

/** Reads a stream as it comes; `at` has when each type of event was read first. */
class Watched {
  readonly transcript = new Transcript();
  readonly at = new Map<string, number>();
  readonly ended: Promise<void>;

  constructor(stream: EventStream) {
    this.ended = this.#read(stream);
    this.ended.catch(() => undefined);
  }

  async #read(stream: EventStream): Promise<void> {
    expect(stream.status).toBe(200);
    for await (const frame of stream) {
      this.transcript.add(frame);
      if (frame.data && !this.at.has(frame.data.type)) this.at.set(frame.data.type, frame.at);
    }
  }

  /** Waits for the end; then the transcript has it. */
  async end(): Promise<Transcript> {
    await this.ended;
    expect(this.transcript.done).toBe(true);
    return this.transcript;
  }
}

const turn = async (model: string) => new Watched(await platform.client.stream({ message: 'Go.', model }));

/** OpenAI's form, whose clients can't take text back. */
const stateless = async (model: string) =>
  new Watched(await platform.client.stream({ messages: [{ role: 'user', content: 'Go.' }], model }));

const hasText = (watched: Watched, words: number) => watched.transcript.text.split(' ').length >= words;

async function messageOf(execution: Payload): Promise<Payload> {
  return (await platform.client.messages(execution.session_id)).find(({ id }) => id === execution.message_id);
}

describe('a worker that is killed', { timeout: 60_000 }, () => {
  it('is succeeded by another within 15 s: from the start where nothing was shown, else after a reset', async () => {
    const first = await startWorker();
    const silent = await turn('compatible/words-60-start-4000@silent');
    const shown = await turn('compatible/words-250-delay-20@shown');
    const openAi = await stateless('compatible/words-250-delay-20@openai');
    const openAiSilent = await stateless('compatible/words-60-start-4000@openai');
    await poll('text is shown', () => hasText(shown, 20) && hasText(openAi, 20));
    await poll('all run', () => platform.fake.requests.filter(({ closedAt }) => closedAt === null).length === 4);
    await startWorker();
    const killedAt = performance.now();
    await first.end('SIGKILL');

    const [silentEnd, shownEnd, openAiEnd, openAiSilentEnd] = await Promise.all(
      [silent, shown, openAi, openAiSilent].map((watched) => watched.end()),
    );
    expect(silentEnd?.resets).toEqual([]);
    expect(silentEnd?.text).toBe(expectedText('words-60'));
    expect(silentEnd?.terminal.execution).toMatchObject({ status: 'succeeded', attempt: 2 });

    expect(shownEnd?.resets).toMatchObject([{ reason: 'worker_lost' }]);
    expect(shownEnd?.text).toBe(expectedText('words-250'));
    expect(shownEnd?.terminal.execution).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(await messageOf(shownEnd?.terminal.execution)).toMatchObject({
      content: shownEnd?.text,
      status: 'succeeded',
    });
    const takenOver = (shown.at.get('text.reset') ?? 0) - killedAt;
    process.stdout.write(`takeover: ${(takenOver / 1_000).toFixed(1)} s after kill -9\n`);
    expect(takenOver).toBeLessThan(TAKEN_OVER_WITHIN_MS);

    // Text that can't be taken back stands, and the client is told by the one field that it throws on.
    expect(openAiEnd?.resets).toEqual([]);
    expect(openAiEnd?.terminal).toMatchObject({
      type: 'execution.failed',
      error: { code: 'worker_lost' },
      execution: { status: 'failed', attempt: 2, error: { code: 'worker_lost' } },
    });
    expect(expectedText('words-250').startsWith(openAiEnd?.text ?? '-')).toBe(true);
    // The database holds what was shown.
    expect(openAiEnd?.terminal.execution.output).toEqual([{ type: 'text', text: openAiEnd?.text }]);

    expect(openAiSilentEnd?.terminal.execution).toMatchObject({ status: 'succeeded', attempt: 2 });
    expect(openAiSilentEnd?.text).toBe(expectedText('words-60'));
  });

  it('fails its turn when the successor is killed too; a hand-back before is not counted', async () => {
    const first = await startWorker({ SHUTDOWN_GRACE_MS: '0' });
    const watched = await turn('compatible/hang-after-5');
    const shownAgain = (resets: number) =>
      poll(
        `text is shown after ${resets} resets`,
        () => watched.transcript.resets.length === resets && hasText(watched, 5),
      );
    await shownAgain(0);
    const second = await startWorker();
    await first.end('SIGTERM');
    await shownAgain(1);
    const third = await startWorker();
    await second.end('SIGKILL');
    await shownAgain(2);
    await startWorker();
    const killedAt = performance.now();
    await third.end('SIGKILL');

    const { terminal, text, resets } = await watched.end();
    expect(performance.now() - killedAt).toBeLessThan(TAKEN_OVER_WITHIN_MS);
    expect(resets.map(({ reason }) => reason)).toEqual(['handed_back', 'worker_lost']);
    expect(terminal).toMatchObject({
      type: 'execution.failed',
      execution: { status: 'failed', error: { code: 'worker_lost' } },
    });
    // What was shown stands.
    expect(text).toBe(expectedText('hang-after-5'));
    expect(terminal.execution.output).toEqual([{ type: 'text', text }]);
    expect(await messageOf(terminal.execution)).toMatchObject({ content: text, status: 'failed' });
    const session = await platform.client.get(`/sessions/${terminal.execution.session_id}`);
    expect(session.body.active_execution_id).toBeNull();
  });
});

describe('a worker that is told to stop', () => {
  it('hands back at once what it could not finish', async () => {
    const first = await startWorker({ SHUTDOWN_GRACE_MS: '300' });
    const shown = await turn('compatible/words-150-delay-20@handback');
    const silent = await turn('compatible/words-20-start-2500@handback');
    const openAi = await stateless('compatible/words-150-delay-20@handback-openai');
    await poll('text is shown', () => hasText(shown, 10) && hasText(openAi, 10));
    await startWorker();
    const toldAt = performance.now();
    expect(await first.end('SIGTERM')).toBe(0);

    const shownEnd = await shown.end();
    expect(shownEnd.resets).toMatchObject([{ reason: 'handed_back' }]);
    expect((shown.at.get('text.reset') ?? Number.POSITIVE_INFINITY) - toldAt).toBeLessThan(3_000);
    expect(shownEnd.text).toBe(expectedText('words-150'));
    expect(shownEnd.terminal.execution.status).toBe('succeeded');

    const silentEnd = await silent.end();
    expect(silentEnd.resets).toEqual([]);
    expect(silentEnd.text).toBe(expectedText('words-20'));

    const openAiEnd = await openAi.end();
    expect(openAiEnd.terminal).toMatchObject({ type: 'execution.failed', error: { code: 'worker_lost' } });
    expect(openAiEnd.terminal.execution.output).toEqual([{ type: 'text', text: openAiEnd.text }]);
  });

  it('finishes within its grace what it can', async () => {
    const first = await startWorker({ SHUTDOWN_GRACE_MS: '10000' });
    const watched = await turn('compatible/words-60-delay-20@grace');
    await poll('text is shown', () => hasText(watched, 5));
    await startWorker();
    expect(await first.end('SIGTERM')).toBe(0);
    const { resets, text, terminal } = await watched.end();
    expect(resets).toEqual([]);
    expect(text).toBe(expectedText('words-60'));
    expect(terminal.execution.attempt).toBe(1);
  });
});

describe('a turn that takes too long', () => {
  it('fails as a timeout with what was shown', async () => {
    await startWorker({ CHAT_TIMEOUT_MS: '700' });
    const model = 'compatible/hang-after-5@timeout';
    const { terminal, text } = await (await turn(model)).end();
    expect(terminal).toMatchObject({
      type: 'execution.failed',
      execution: {
        error: { code: 'timeout' },
        output: [{ type: 'text', text: expectedText('hang-after-5') }],
      },
    });
    expect(text).toBe(expectedText('hang-after-5'));
    const request = platform.fake.requests.find((each) => model.endsWith(`/${each.model}`));
    await poll("the provider's connection is closed", () => request?.closedAt ?? undefined, 2_000);
  });
});

describe('the sweep', { timeout: 60_000 }, () => {
  let database: Database;
  let owner: Owner;
  let sweeper: PlatformProcess;

  beforeAll(async () => {
    database = await connectDatabase({ uri: platform.store.uri, log: createLogger({ name: 'test', level: 'silent' }) });
    owner = { scope: 'personal', user_id: platform.client.userId, workspace_id: null };
    sweeper = await platform.startSystemWorker();
  });
  afterAll(async () => {
    await sweeper?.end('SIGTERM');
    await database?.close();
  });

  const recordOf = (id: string, input: Record<string, unknown>, more: Partial<ExecutionRecord>): ExecutionRecord => ({
    id,
    kind: 'chat.completion',
    surface: 'chat',
    status: 'queued',
    model: 'compatible/words-20',
    provider: 'compatible',
    output: [],
    progress: null,
    usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0, cost_usd: null },
    error: null,
    attempt: 1,
    retry_of: null,
    session_id: null,
    message_id: null,
    batch_id: null,
    metadata: {},
    owner,
    input,
    finish_reason: null,
    request_id: null,
    created_at: new Date(),
    started_at: null,
    finished_at: null,
    ...more,
  });

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
    const record = recordOf(
      id,
      { model, settings: {}, source },
      { session_id, message_id: assistant_message_id, ...more },
    );
    if (stored) await database.executions.insert(record);
    return { id, sessionId: session_id };
  }

  const unlocked = async (sessionId: string) =>
    (await platform.client.get(`/sessions/${sessionId}`)).body.active_execution_id === null;

  it('runs within 30 s what was stored and never queued, and frees what was begun and never stored', async () => {
    await startWorker();
    const leftAt = performance.now();
    const [queued, begun, told] = await Promise.all([
      leaveTurn(true),
      leaveTurn(false),
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
    expect(await messageOf(terminal.execution)).toMatchObject({ content: text, status: 'succeeded' });

    const left = () => SWEPT_WITHIN_MS - (performance.now() - leftAt);
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

  it('cancels what was to be cancelled and has no job', async () => {
    const { id, sessionId } = await leaveTurn(true);
    expect((await platform.client.post(`/jobs/${id}/cancel`)).body.status).toMatch(/^cancell/);
    const job = await platform.client.jobWith(id, ['cancelled'], SWEPT_WITHIN_MS);
    expect(job.finished_at).not.toBeNull();
    await poll('the session is free', () => unlocked(sessionId));
  });
});
