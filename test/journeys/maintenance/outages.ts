import { expectedText } from '@chorus/testing';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, ApiClient } from '../api-client.ts';
import type { Platform } from '../platform.ts';
import { poll } from '../poll.ts';
import { Transcript } from '../transcript.ts';

let platform: Platform;
let client: ApiClient;

/** Maximum response time during an outage: 12 s on an idle machine. */
const ANSWERED_WITHIN_MS = process.env.CHORUS_SOAK === '1' ? 12_000 : 40_000;

const within = (path: string) => client.get(path, { signal: AbortSignal.timeout(ANSWERED_WITHIN_MS) });
const chatWithin = (body: Record<string, unknown>, prefer = 'wait=60'): Promise<Answer> =>
  client.chat(body, { headers: { prefer }, signal: AbortSignal.timeout(ANSWERED_WITHIN_MS) });

const isReady = async () => (await client.get('/readyz')).status === 200;

/** Returns whether a request to the provider is open. */
const isAsked = (model: string) =>
  platform.fake.requests.some((request) => request.model === model && request.closedAt === null);

export function outagesJourneys(getPlatform: () => Platform): void {
  beforeAll(() => {
    platform = getPlatform();
    client = platform.client;
  });
  afterEach(async () => {
    if (await isReady()) return;
    await Promise.all([platform.redis.restart(), platform.store.restart()]);
    await poll('readyz tells', isReady);
  });

  describe('during a Redis outage', () => {
    it('answers every request, and recovers afterwards', async () => {
      const done = (await client.chat({ message: 'Go.', model: 'compatible/words-5' })).body;
      await platform.redis.kill();
      await poll('readyz tells', async () => (await within('/readyz')).status === 503);
      expect((await within('/readyz')).body).toMatchObject({ status: 'failing', store: 'ok', redis: 'failing' });
      const turn = { message: 'Go.', model: 'compatible/words-5' };
      const [alive, metrics, health, job, waited, queued, streamed, events, cancelled] = await Promise.all([
        within('/healthz'),
        within('/metrics'),
        within('/chat/health'),
        within(`/jobs/${done.id}`),
        chatWithin(turn),
        chatWithin(turn, 'respond-async'),
        chatWithin({ ...turn, stream: true }),
        within(`/jobs/${done.id}/events`),
        client.post(`/jobs/${done.id}/cancel`, {}, { signal: AbortSignal.timeout(ANSWERED_WITHIN_MS) }),
      ]);
      expect(alive.status).toBe(200);
      expect(metrics.status).toBe(200);
      expect(health).toMatchObject({ status: 503, body: { status: 'unavailable', redis: { status: 'failing' } } });
      expect(job.body).toEqual(done);
      for (const answer of [waited, queued, streamed]) {
        expect(answer.status).toBe(503);
        expect(answer.body.error.code).toBe('store_unavailable');
        expect(answer.headers.get('retry-after')).toBeTruthy();
      }
      expect(events.status).toBe(503);
      expect(cancelled.body).toEqual(done);

      await platform.redis.restart();
      await poll('readyz tells', isReady);
      await poll('chats run', async () => (await chatWithin(turn)).body.status === 'succeeded');
      const replay = Transcript.of(await (await client.events(done.id)).frames());
      expect(replay.text).toBe(expectedText('words-5'));
    });

    it('pauses a running stream without loss', async () => {
      const stream = await client.stream({ message: 'Go.', model: 'compatible/words-100-delay-10' });
      const transcript = new Transcript();
      let outage: Promise<void> | null = null;
      for await (const frame of stream) {
        transcript.add(frame);
        if (transcript.deltas.size < 10 || outage) continue;
        outage = platform.redis
          .kill()
          .then(() => poll('the provider is done', () => !isAsked('words-100-delay-10')))
          .then(() => platform.redis.restart());
      }
      await outage;
      expect(transcript.done).toBe(true);
      expect(transcript.resets).toEqual([]);
      expect(transcript.text).toBe(expectedText('words-100'));
    });
  });

  describe('during a store outage', () => {
    it('answers every request, and stores a turn that ends meanwhile afterwards', async () => {
      const model = 'compatible/words-1500-start-300';
      const stream = await client.stream({ message: 'Go.', model });
      const reading = stream.frames();
      await poll('the provider is called', () => isAsked('words-1500-start-300'));
      await platform.store.kill();
      await poll('readyz tells', async () => (await within('/readyz')).status === 503);
      expect((await within('/readyz')).body).toMatchObject({ status: 'failing', store: 'failing', redis: 'ok' });
      const [turn, jobs, login] = await Promise.all([
        chatWithin({ message: 'Go.', model: 'compatible/words-5' }),
        within('/jobs'),
        client.post('/auth/login', platform.login, { signal: AbortSignal.timeout(ANSWERED_WITHIN_MS) }),
      ]);
      for (const answer of [turn, jobs, login]) {
        expect(answer.status).toBe(503);
        expect(answer.body.error.code).toBe('store_unavailable');
      }
      await poll('the provider is done', () => !isAsked('words-1500-start-300'));
      await platform.store.restart();

      const transcript = Transcript.of(await reading);
      expect(transcript.text).toBe(expectedText('words-1500'));
      const job = await client.job(transcript.executionId ?? '');
      expect(job).toEqual(transcript.terminal.execution);
      expect(job.status).toBe('succeeded');
      const [, answer] = await client.messages(job.session_id);
      expect(answer).toMatchObject({ status: 'succeeded', content: transcript.text });
      await poll('readyz tells', isReady);
      expect((await chatWithin({ message: 'Go.', model: 'compatible/words-5' })).status).toBe(200);
    });
  });
}
