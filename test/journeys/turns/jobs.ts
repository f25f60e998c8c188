import { connectDatabase, type Database } from '@chorus/database';
import { createLogger } from '@chorus/runtime/log';
import { expectedText } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../api-client.ts';
import type { Payload } from '../event-stream.ts';
import type { Platform } from '../platform.ts';
import { poll } from '../poll.ts';
import { Transcript } from '../transcript.ts';

export function jobsJourneys(getPlatform: () => Platform): void {
  let platform: Platform;
  let client: ApiClient;

  beforeAll(() => {
    platform = getPlatform();
    client = platform.client;
  });

  const requestOf = (model: string) => platform.fake.requests.find((request) => model.endsWith(`/${request.model}`));

  describe('canceling', () => {
    it("closes the provider's connection within 250 ms and keeps the shown text", async () => {
      const tookMs: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        const model = `compatible/words-500-delay-20@cancel-${round}`;
        const stream = await client.stream({ message: 'Go.', model });
        const transcript = new Transcript();
        let cancelling: Promise<Payload> | null = null;
        let askedAt = 0;
        for await (const frame of stream) {
          transcript.add(frame);
          if (cancelling || transcript.deltas.size < 3) continue;
          askedAt = Date.now();
          cancelling = client.post(`/jobs/${transcript.executionId}/cancel`, {}, { url: platform.apis[1]?.url ?? '' });
        }
        expect((await cancelling)?.body.status).toMatch(/^cancell(ing|ed)$/);
        expect(transcript.terminal).toMatchObject({
          type: 'execution.cancelled',
          execution: { status: 'cancelled', error: null, output: [{ type: 'text', text: transcript.text }] },
        });
        const closedAt = await poll('the connection is closed', () => requestOf(model)?.closedAt);
        tookMs.push(closedAt - askedAt);
        const { session_id, message_id } = transcript.terminal.execution;
        const message = (await client.messages(session_id)).find(({ id }) => id === message_id);
        expect(message).toMatchObject({ status: 'cancelled', content: transcript.text });
        const again = await client.post(`/jobs/${transcript.executionId}/cancel`);
        expect(again.body).toEqual(transcript.terminal.execution);
      }
      process.stdout.write(`cancel: provider's connection closed after ${tookMs.join(', ')} ms\n`);
      expect(Math.min(...tookMs)).toBeLessThan(1_000);
    });

    it('answers a waited OpenAI request with an error', async () => {
      const model = 'compatible/hang@cancel-waited';
      const waiting = client.chat({ messages: [{ role: 'user', content: 'Go.' }], model });
      await poll('the provider is called', () => requestOf(model));
      // The record is stored while the job is queued, so the provider may be called before it can be read.
      const id = await poll('the job is listed', async () => {
        const { data } = (await client.get('/jobs?limit=5')).body;
        return data.find((job: Payload) => job.model === model)?.id;
      });
      const cancelled = await client.post(`/jobs/${id}/cancel`);
      expect(cancelled.body).toMatchObject({ id, status: expect.stringMatching(/^cancell(ing|ed)$/) });
      const { status, headers, body } = await waiting;
      expect(status).toBe(409);
      expect(headers.get('x-should-retry')).toBe('false');
      expect(body.error).toMatchObject({ code: 'cancelled', execution_id: id });
    });
  });

  describe('retrying', () => {
    it('starts a new execution whose answer replaces the failed one', async () => {
      const failed = await client.chat({ message: 'Go.', model: 'compatible/cut-after-5-once', metadata: { a: 'b' } });
      expect(failed.status).toBe(200);
      expect(failed.body).toMatchObject({ status: 'failed', error: { code: 'provider_error' } });
      expect(failed.body.output[0].text).toBe(expectedText('words-5'));
      const { session_id, message_id } = failed.body;
      expect((await client.messages(session_id))[1]).toMatchObject({
        status: 'failed',
        content: expectedText('words-5'),
      });

      const retried = await client.post(`/jobs/${failed.body.id}/retry`);
      expect(retried.body).toMatchObject({ status: 'succeeded', retry_of: failed.body.id, session_id, message_id });
      expect(retried.body.metadata).toEqual({ a: 'b' });
      expect(retried.body.id).not.toBe(failed.body.id);
      const messages = await client.messages(session_id);
      expect(messages).toHaveLength(2);
      expect(messages[1]).toMatchObject({
        status: 'succeeded',
        content: retried.body.output[0].text,
        execution_id: retried.body.id,
      });
      expect(await client.job(failed.body.id)).toEqual(failed.body);
    });

    it('streams on request, and refuses succeeded jobs', async () => {
      const failed = await client.chat({ message: 'Go.', model: 'compatible/error-after-3-once@stream' });
      const stream = await client.open('POST', `/jobs/${failed.body.id}/retry`, { body: { stream: true } });
      const { terminal } = Transcript.of(await stream.frames());
      expect(terminal.execution).toMatchObject({ status: 'succeeded', retry_of: failed.body.id });
      const refused = await client.post(`/jobs/${terminal.execution.id}/retry`);
      expect(refused.status).toBe(409);
      expect(refused.body.error.code).toBe('job_not_retryable');
    });
  });

  describe('the list of jobs', () => {
    it('filters and pages, newest first', async () => {
      const made: string[] = [];
      for (const model of ['compatible/words-3', 'compatible/refuse', 'compatible/words-4']) {
        made.push((await client.chat({ message: 'Go.', model })).body.id);
      }
      const [first, second, third] = made;
      const ids = async (query: string) => (await client.get(`/jobs?${query}`)).body.data.map(({ id }: Payload) => id);
      expect(await ids('limit=3')).toEqual([third, second, first]);
      expect((await ids('limit=1&status=failed'))[0]).toBe(second);
      expect(await ids('limit=2&status=succeeded&kind=chat.completion')).toEqual([third, first]);
      expect(await ids('kind=iris.image')).toEqual([]);
      const page = (await client.get('/jobs?limit=2')).body;
      expect(page).toMatchObject({ object: 'list', has_more: true });
      expect(await ids(`limit=1&after=${page.next_cursor}`)).toEqual([first]);
      for (const wrong of ['status=lost', 'kind=nope', 'batch_id=nope'])
        expect((await client.get(`/jobs?${wrong}`)).status, wrong).toBe(400);
      const kinds = (await client.get('/jobs?kind=nope')).body.error.details[0];
      expect(kinds).toMatchObject({
        path: 'query.kind',
        message: expect.stringContaining('chat.completion, chat.title, embedding, iris.image'),
      });
    });
  });

  describe('scopes', () => {
    let database: Database;

    beforeAll(async () => {
      database = await connectDatabase({
        uri: platform.store.uri,
        log: createLogger({ name: 'test', level: 'silent' }),
      });
    });
    afterAll(() => database?.close());

    it("separate jobs and sessions: another scope's are not found", async () => {
      const me = await database.users.findByEmail(platform.login.email);
      const login = { email: `other-${platform.login.email}`, password: platform.login.password };
      await database.users.create({ email: login.email, password_hash: me?.password_hash ?? '', operator: false });
      const other = await ApiClient.login(() => platform.apis[0]?.url ?? '', login);
      const workspace = await database.workspaces.create({ name: 'Ours' }, client.userId);
      await database.workspaces.addMember(workspace.id, other.userId, 'viewer');
      const [mineHere, othersHere] = [client.inWorkspace(workspace.id), other.inWorkspace(workspace.id)];

      const personal = (await client.chat({ message: 'Mine.', model: 'compatible/echo' })).body;
      const stateless = { messages: [{ role: 'user', content: 'Ours.' }], model: 'compatible/echo' };
      const shared = (await mineHere.chat(stateless)).body;
      const own = (await mineHere.chat({ message: 'Mine, at work.', model: 'compatible/echo' })).body;
      const paths = ({ id, session_id }: Payload) =>
        [
          ['GET', `/jobs/${id}`],
          ['GET', `/jobs/${id}/events`],
          ['POST', `/jobs/${id}/cancel`],
          ['POST', `/jobs/${id}/retry`],
          ...(session_id
            ? [
                ['GET', `/sessions/${session_id}`],
                ['GET', `/sessions/${session_id}/messages`],
              ]
            : []),
        ] as [string, string][];
      const reach = async (user: ApiClient, execution: Payload) =>
        Promise.all(paths(execution).map(async ([method, path]) => (await user.call(method, path)).status));

      for (const [user, execution] of [
        [other, personal],
        [mineHere, personal],
        [client, shared],
        [client, own],
      ] as const) {
        expect(new Set(await reach(user, execution))).toEqual(new Set([404]));
      }
      // Members share executions but not sessions; viewers cannot start any.
      expect((await othersHere.get(`/jobs/${shared.id}`)).status).toBe(200);
      expect((await othersHere.get(`/jobs/${own.id}`)).status).toBe(404);
      expect((await othersHere.get('/jobs')).body.data.map(({ id }: Payload) => id)).toEqual([shared.id]);
      expect((await othersHere.chat(stateless)).body.error.code).toBe('role_forbidden');
      const foreign = { message: 'In.', model: 'compatible/echo', session_id: personal.session_id };
      expect((await other.chat(foreign)).status).toBe(404);
      expect((await other.get('/jobs')).body.data).toEqual([]);
    });
  });
}
