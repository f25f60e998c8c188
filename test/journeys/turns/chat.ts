import { expectedText } from '@chorus/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../api-client.ts';
import type { Frame } from '../event-stream.ts';
import type { Platform } from '../platform.ts';
import { Transcript } from '../transcript.ts';

export function chatJourneys(getPlatform: () => Platform): void {
  let platform: Platform;
  let client: ApiClient;

  beforeAll(() => {
    platform = getPlatform();
    client = platform.client;
  });

  const requestOf = (model: string) => platform.fake.requests.find((request) => model.endsWith(`/${request.model}`));

  /** Removes differences between connections: arrival times, the role in the first delta, and the origin of URLs. */
  const bare = (frames: Frame[]) =>
    frames.map(({ id, data }) => {
      const { choices: _, ...rest } = data ?? {};
      return { id, ...JSON.parse(JSON.stringify(rest).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '')) };
    });

  describe('a turn', () => {
    it('opens a session, answers, and is stored', async () => {
      const { status, headers, body } = await client.chat({ message: 'Say one two three', model: 'compatible/echo' });
      expect(status).toBe(200);
      expect(headers.get('x-request-id')).toBeTruthy();
      expect(body).toMatchObject({
        object: 'chat.completion',
        kind: 'chat.completion',
        surface: 'chat',
        status: 'succeeded',
        model: 'compatible/echo',
        provider: 'compatible',
        output: [{ type: 'text', text: 'Say one two three' }],
        choices: [{ message: { content: 'Say one two three' }, finish_reason: 'stop' }],
        error: null,
        attempt: 1,
        usage: { input_tokens: 4, output_tokens: 4, total_tokens: 8, prompt_tokens: 4, completion_tokens: 4 },
      });
      expect(await client.job(body.id)).toEqual(body);
      expect((await client.get(`/sessions/${body.session_id}`)).body).toMatchObject({
        title: 'Say one two three',
        message_count: 2,
        active_execution_id: null,
      });
      expect(await client.messages(body.session_id)).toMatchObject([
        { role: 'user', content: 'Say one two three', status: 'succeeded' },
        {
          id: body.message_id,
          role: 'assistant',
          content: 'Say one two three',
          status: 'succeeded',
          execution_id: body.id,
        },
      ]);
    });

    it('is appended to its session, and the model sees the history', async () => {
      const model = 'embedded/assistant';
      const first = await client.chat({ message: 'The kettle is green.', model });
      const { session_id } = first.body;
      const second = await client.chat({ message: 'What did I just say?', model, session_id });
      expect(second.body.session_id).toBe(session_id);
      expect(second.body.output[0].text).toContain('You said: "The kettle is green."');
      expect(await client.messages(session_id)).toHaveLength(4);
      expect((await client.get(`/sessions/${session_id}`)).body.message_count).toBe(4);

      await client.chat({ message: 'And now?', model: 'compatible/echo@history', session_id });
      expect(requestOf('compatible/echo@history')?.body.messages).toMatchObject([
        { role: 'user', content: 'The kettle is green.' },
        { role: 'assistant', content: first.body.output[0].text },
        { role: 'user', content: 'What did I just say?' },
        { role: 'assistant', content: second.body.output[0].text },
        { role: 'user', content: 'And now?' },
      ]);
    });

    it('locks its session while it runs', async () => {
      const running = await client.start({ message: 'Go.', model: 'compatible/hang@locking' });
      const { session_id } = running;
      const refused = await client.chat({ message: 'Me too.', model: 'compatible/echo', session_id });
      expect(refused.status).toBe(409);
      expect(refused.body.error).toMatchObject({ code: 'session_locked', active_execution_id: running.id });
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(refused.headers.get('x-should-retry')).toBe('false');
      expect((await client.call('DELETE', `/sessions/${session_id}`)).status).toBe(409);
      await client.post(`/jobs/${running.id}/cancel`);
      await client.waitForJob(running.id, ['cancelled']);
      // The lock is released before the end is sent, so a client can continue at once.
      const next = await client.chat({ message: 'Me too.', model: 'compatible/echo', session_id });
      expect(next.body.output[0].text).toContain('Me too.');
      expect(await client.messages(session_id)).toHaveLength(4);
    });

    it('is accepted only once of two simultaneous ones, on either API', async () => {
      const { body } = await client.chat({ message: 'Hello.', model: 'compatible/echo' });
      const both = await Promise.all(
        platform.apis.map(({ url }, number) =>
          client.chat(
            { message: `Turn ${number}.`, model: 'compatible/hang@together', session_id: body.session_id },
            { url, headers: { prefer: 'respond-async' } },
          ),
        ),
      );
      expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect(await client.messages(body.session_id)).toHaveLength(4);
      await client.post(`/jobs/${both.find(({ status }) => status === 200)?.body.id}/cancel`);
    });
  });

  describe('delivery', () => {
    it('returns the queued execution at once for respond-async and wait=0', async () => {
      const turn = { message: 'Go.', model: 'compatible/words-20' };
      for (const prefer of ['respond-async', 'wait=0']) {
        const { status, headers, body } = await client.chat(turn, { headers: { prefer } });
        expect(status).toBe(200);
        expect(headers.get('preference-applied')).toBe(prefer);
        expect(body).toMatchObject({ status: 'queued', output: [], finished_at: null });
        expect((await client.waitForJob(body.id)).output[0].text).toBe(expectedText('words-20'));
      }
    });

    it('returns the running execution when the wait ends first', async () => {
      const turn = { message: 'Go.', model: 'compatible/hang@waited' };
      const { body } = await client.chat(turn, { headers: { prefer: 'wait=1' } });
      // A busy worker may not have started.
      expect(body.status).toMatch(/^(queued|running)$/);
      await client.post(`/jobs/${body.id}/cancel`);
    });

    it('streams numbered frames with one end that match the database', async () => {
      const model = 'compatible/words-80-delay-5';
      const stream = await client.stream({ message: 'Go.', model });
      expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8');
      const frames = await stream.frames();
      const types = frames.map(({ data }) => data?.type);
      expect(types.slice(0, 2)).toEqual(['execution.queued', 'execution.started']);
      expect(types.slice(-2)).toEqual(['execution.succeeded', undefined]);
      const transcript = Transcript.of(frames);
      expect(transcript.text).toBe(expectedText('words-80'));
      // The number of deltas depends on the machine's load.
      expect(transcript.deltas.size).toBeGreaterThan(1);
      expect(await client.job(transcript.executionId ?? '')).toEqual(transcript.terminal.execution);
    });

    it('completes after its client has disconnected', async () => {
      const stream = await client.stream({ message: 'Go.', model: 'compatible/words-50-delay-10@left' });
      let id = '';
      for await (const { data } of stream) {
        id = data.execution_id;
        if (data.type === 'text.delta') break;
      }
      stream.drop();
      expect((await client.waitForJob(id)).output[0].text).toBe(expectedText('words-50'));
    });
  });

  describe('the events of an execution', () => {
    it('continue after every position, on any API, while it runs', async () => {
      const stream = await client.stream({ message: 'Go.', model: 'compatible/words-60-delay-15' });
      const frames: Frame[] = [];
      const late: Promise<{ after: number; frames: Frame[] }>[] = [];
      for await (const frame of stream) {
        frames.push(frame);
        if (frame.data === null || frame.data.type.startsWith('execution.succ')) continue;
        const { seq: after, execution_id: id } = frame.data;
        const api = platform.apis[after % platform.apis.length];
        late.push(
          client
            .events(id, after, { url: api?.url ?? '' })
            .then(async (reader) => ({ after, frames: await reader.frames() })),
        );
      }
      // The queued and started events, and at least one within the text.
      expect(late.length).toBeGreaterThan(2);
      for (const { after, frames: rest } of await Promise.all(late))
        expect(bare(rest)).toEqual(bare(frames.slice(after)));
    });

    it('continue after every position once it has ended, by Last-Event-ID and by after', async () => {
      const { body } = await client.chat({ message: 'Go.', model: 'compatible/words-30-delay-5' });
      const frames = await (await client.events(body.id)).frames();
      expect(Transcript.of(frames).text).toBe(expectedText('words-30'));
      for (let after = 0; after < frames.length; after += 1) {
        const byHeader = await (await client.events(body.id, after)).frames();
        const byQuery = await (await client.open('GET', `/jobs/${body.id}/events?after=${after}`)).frames();
        expect(bare(byHeader)).toEqual(bare(frames.slice(after)));
        expect(bare(byQuery)).toEqual(bare(byHeader));
      }
    });

    it('are refused for an invalid event id', async () => {
      const { body } = await client.chat({ message: 'Go.', model: 'compatible/words-2' });
      const answer = await client.get(`/jobs/${body.id}/events`, { headers: { 'last-event-id': 'first' } });
      expect(answer.status).toBe(400);
      expect((await client.get('/jobs/job_nonsense/events')).status).toBe(404);
    });
  });
}
