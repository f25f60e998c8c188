import type { RunningEvent } from '@chorus/contract';
import type { ExecutionRecord } from '@chorus/database';
import { cancelledOutcome, closeLog, settle } from '@chorus/executions';
import { fakeVoice } from '@chorus/testing';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../test-api.ts';
import { publishModels } from '../test-chat.ts';
import { wavOf } from '../test-voice-workers.ts';

let api: TestApi;
let client: OpenAI;
let wav: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  api = await startTestApi();
  await publishModels(api, 'voice', { 'embedded/ear': ['transcription'] });
  client = new OpenAI({ baseURL: `${api.url}/openai/v1`, apiKey: api.accessToken, maxRetries: 0 });
  wav = await wavOf(fakeVoice(1));
});
afterAll(() => api.stop());

const seen = new Set<string>();

/** Starts a stream whose events the test writes. */
async function begin() {
  const file = await toFile(wav, 'said.wav');
  const stream = client.audio.transcriptions.create({ file, model: 'ear', stream: true });
  stream.catch(() => undefined);
  const { id: user_id } = (await api.call('GET', '/me')).body;
  const owner = { scope: 'personal', user_id, workspace_id: null } as const;
  let record: ExecutionRecord | undefined;
  await expect
    .poll(async () => {
      const { data } = await api.services.database.executions.list(owner, { limit: 20, kind: 'transcription' });
      record = data.find(({ id }) => !seen.has(id));
      return record;
    })
    .toBeDefined();
  const { id } = record!;
  seen.add(id);
  const append = (...events: RunningEvent[]) => api.services.eventLog.append(id, 1, -1, events);
  const end = async (outcome: object) => {
    const { database, eventLog } = api.services;
    const ended = await settle(database, { owner, id, attempt: 1, outcome: { ...cancelledOutcome(), ...outcome } });
    await closeLog(eventLog, ended!);
  };
  return { stream, append, end };
}

const delta = (text: string): RunningEvent => ({ type: 'text.delta', index: 0, delta: text });
const reset: RunningEvent = { type: 'text.reset', reason: 'worker_lost' };
const transcript = {
  type: 'transcript' as const,
  text: 'one two',
  model: 'embedded/ear',
  language: 'en',
  duration_ms: 1_000,
};

test('text that starts over before it was sent is sent once', async () => {
  const { stream, append, end } = await begin();
  await append(delta('on'), reset, delta('one'), delta(' two'));
  const events = (await stream)[Symbol.asyncIterator]();
  const deltas = [await events.next(), await events.next()].map(({ value }) => value.delta);
  expect(deltas.join('')).toBe('one two');
  await append({ type: 'output.item', index: 1, item: transcript });
  await end({ status: 'succeeded', error: null, output: [{ type: 'text', text: 'one two' }, transcript] });
  expect((await events.next()).value).toMatchObject({ type: 'transcript.text.done', text: 'one two' });
  expect((await events.next()).done).toBe(true);
});

test('text that starts over after it was sent closes the stream', async () => {
  const { stream, append } = await begin();
  await append(delta('one'));
  const events = (await stream)[Symbol.asyncIterator]();
  expect((await events.next()).value).toEqual({ type: 'transcript.text.delta', delta: 'one' });
  await append(reset, delta('one'));
  await expect(events.next()).rejects.toThrow();
});

test('a failure after the first text is an error of the stream', async () => {
  const { stream, append, end } = await begin();
  await append(delta('one'));
  const events = (await stream)[Symbol.asyncIterator]();
  await events.next();
  const error = { code: 'provider_error', message: 'Broken.', status: 502, details: [], request_id: null };
  await end({ status: 'failed', error, output: [{ type: 'text', text: 'one' }] });
  await expect(events.next()).rejects.toMatchObject({
    code: 'provider_error',
    message: expect.stringContaining('Broken.'),
  });
});
