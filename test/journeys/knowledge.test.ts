import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ApiClient } from './api-client.ts';
import type { Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import type { PlatformProcess } from './platform-process.ts';
import { poll } from './poll.ts';

/** Enough sections for several embedding calls per document. */
const SECTIONS = 200;

let platform: Platform;
let client: ApiClient;
let worker: PlatformProcess;
let pages: Server;
let fetched = 0;
/** Documents with this text get no vectors; null if all do. */
let withheld: string | null = 'The lamp number 150 ';

beforeAll(async () => {
  pages = createServer((_, response) => {
    fetched += 1;
    if (fetched === 1) return;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(
      '<html><title>Bridges</title><body><main><p>The bridge of Holm was finished in 1911.</p></main></body></html>',
    );
  }).listen(0, '127.0.0.1');
  platform = await startPlatform({
    models: ['lastline', 'words-embedding'],
    env: {
      EMBEDDING_MODEL: 'compatible/words-embedding',
      KNOWLEDGE_CONCURRENCY: '4',
      OUTBOUND_ALLOW: '127.0.0.0/8',
    },
    // Embedding calls wait until the test releases them.
    script: ({ path, body }) =>
      path === '/v1/embeddings' &&
      withheld !== null &&
      (body.input as string[]).some((text) => text.includes(withheld ?? ''))
        ? { ending: 'hang' }
        : undefined,
  });
  ({ client } = platform);
});
afterAll(async () => {
  pages?.closeAllConnections();
  pages?.close();
  await platform?.stop();
});
beforeEach(() => platform.showLogsOnFailure());

const longText = (word: string) =>
  Array.from(
    { length: SECTIONS },
    (_, number) =>
      `## Part ${number}\n\n${`The ${word} number ${number} stands at the gate of house ${number}. `.repeat(20)}\n`,
  ).join('\n');

async function create(body: Record<string, unknown>): Promise<Payload> {
  const answer = await client.post('/console/knowledge', body);
  expect([answer.status, answer.body.error]).toEqual([200, null]);
  expect(answer.body.status).toBe('processing');
  return answer.body;
}

const entry = async (id: string): Promise<Payload> => (await client.get(`/console/knowledge/${id}`)).body;
const inStage = (id: string, stage: string) =>
  poll(`${id} is ${stage}`, async () => (await entry(id)).stage === stage, 30_000);
const ready = (id: string) =>
  poll(
    `${id} is ready`,
    async () => {
      const found = await entry(id);
      if (found.status === 'failed') throw new Error(JSON.stringify(found.error));
      return found.status === 'ready' ? found : undefined;
    },
    60_000,
  );

/** The fake provider repeats the question's last line. */
async function ask(question: string, more: Record<string, unknown> = {}): Promise<Payload> {
  const answer = await client.post('/console/knowledge/ask', { question, model: 'compatible/lastline', ...more });
  expect([answer.status, answer.body.status, answer.body.error]).toEqual([200, 'succeeded', null]);
  return answer.body;
}
const citationsOf = ({ output }: Payload) => output.filter(({ type }: Payload) => type === 'citation');

it('resumes documents after a killed worker at every stage, cites them, and deletes them', {
  timeout: 180_000,
}, async () => {
  worker = await platform.startKnowledgeWorker();
  const lamps = await create({ content: longText('lamp'), title: 'Lamps', tags: ['things'] });
  await inStage(lamps.id, 'embedding');
  const asked = () =>
    platform.fake.requests.flatMap(({ path, body }) => (path === '/v1/embeddings' ? (body.input as string[]) : []));
  // The first part is stored before the next is requested.
  await poll('its first vectors are stored', () => asked().some((text) => text.includes(String(withheld))), 30_000);
  // Not earlier, because a page that does not respond fails after 20 s.
  const waiting = await create({ url: `http://127.0.0.1:${(pages.address() as AddressInfo).port}/bridges` });
  await poll('its page is requested', () => fetched === 1);
  // A third document is being indexed, or was just indexed.
  const gates = await create({ content: longText('gate'), title: 'Gates', tags: ['things', 'doors'] });
  const stream = await client.events(gates.execution_id, 0);
  for await (const { data } of stream) if (data?.progress?.stage === 'indexing') break;
  await worker.end('SIGKILL');
  stream.drop();
  const paid = asked().filter((text) => text.includes('The lamp number 3 ')).length;
  expect(paid).toBeGreaterThan(0);
  withheld = null;
  worker = await platform.startKnowledgeWorker();
  const [bridge, lamp, gate] = await Promise.all([waiting, lamps, gates].map(({ id }) => ready(id)));
  expect(fetched).toBe(2);
  // Embedded parts are not embedded again.
  expect(asked().filter((text) => text.includes('The lamp number 3 ')).length).toBe(paid);
  expect([bridge.title, bridge.chunk_count, bridge.searchable_revision]).toEqual(['Bridges', 1, 1]);
  for (const { id, chunk_count } of [lamp, gate]) {
    const positions: number[] = [];
    for (let after = ''; ; ) {
      const { body } = await client.get(`/console/knowledge/${id}/chunks?limit=100${after}`);
      positions.push(...body.data.map(({ position }: Payload) => position));
      if (!body.has_more) break;
      after = `&after=${encodeURIComponent(body.next_cursor)}`;
    }
    expect(positions).toEqual(Array.from({ length: chunk_count }, (_, position) => position));
  }

  const found = await client.post('/console/knowledge/search', {
    query: 'Which lamp stands at the gate of house 77?',
    top_k: 3,
    tags: ['things'],
  });
  const [best] = found.body.output;
  expect(best.passage).toMatchObject({ entry_id: lamp.id, title: 'Lamps', heading_path: ['Part 77'] });
  const answer = await ask('The bridge of Holm was finished in 1911 [1]. It is blue [9].', { entry_ids: [bridge.id] });
  expect(answer.output).toMatchObject([
    { type: 'text', text: 'The bridge of Holm was finished in 1911 [1]. It is blue.' },
    {
      type: 'citation',
      marker: 1,
      entry_id: bridge.id,
      title: 'Bridges',
      quote: 'The bridge of Holm was finished in 1911.',
    },
  ]);

  // Turns in a session store citations; OpenAI streams have them in the last frame.
  const { session_id } = (await client.chat({ message: 'Hello', model: 'compatible/echo' })).body;
  const turn = await ask('In 1911 [1], the bridge of Holm.', { entry_ids: [bridge.id], session_id });
  const messages = await client.messages(session_id);
  expect(messages.at(-1)).toMatchObject({
    id: turn.message_id,
    content: 'In 1911 [1], the bridge of Holm.',
    citations: citationsOf(turn),
  });
  expect(citationsOf(turn)).toHaveLength(1);
  const knowledge = { entry_ids: [bridge.id], top_k: 2 };
  const question = [{ role: 'user', content: 'It was finished in 1911 [1].' }];
  const frames = [];
  for await (const frame of await client.stream({ messages: question, knowledge, model: 'compatible/lastline' }))
    frames.push(frame.data);
  const text = frames.map((data) => data?.choices?.[0]?.delta?.content ?? '').join('');
  expect(text).toBe('It was finished in 1911 [1].');
  expect(citationsOf(frames.at(-2).execution)).toHaveLength(1);

  // Only its workspace sees the document; after deletion, neither does.
  const garden = (await client.post('/workspaces', { name: 'Garden' })).body;
  const other = await client
    .inWorkspace(garden.id)
    .post('/console/knowledge/ask', { question: 'The bridge of Holm [1]?', model: 'compatible/lastline' });
  expect(other.body.output).toMatchObject([{ type: 'text', text: expect.stringMatching(/sources have nothing/) }]);
  for (const { id } of [bridge, gate])
    expect((await client.call('DELETE', `/console/knowledge/${id}`)).status).toBe(200);
  const gone = await ask('The bridge of Holm was finished in 1911 [1].', { entry_ids: [bridge.id, gate.id] });
  expect([gone.output.length, gone.output[0].text]).toEqual([1, expect.stringMatching(/sources have nothing/)]);
  const left = await client.post('/console/knowledge/search', { query: 'the gate of the bridge of Holm', top_k: 50 });
  expect(new Set(left.body.output.map(({ passage }: Payload) => passage.entry_id))).toEqual(new Set([lamp.id]));
});

it('ingests a batch once each across a killed worker, beside a single entry', { timeout: 180_000 }, async () => {
  const { body: before } = await client.get('/console/knowledge?limit=1');
  await platform.startMaintenance();
  const notes = Array.from({ length: 120 }, (_, number) => `Note ${number}: the ferry ${number} leaves at dawn.`);
  const file = new FormData();
  file.append('file', new Blob(['The ferry of the file leaves at noon.'], { type: 'text/plain' }), 'noon.txt');
  const headers = { authorization: `Bearer ${client.token}`, 'x-scope-type': 'personal' };
  const uploaded = await fetch(`${platform.apis[0]?.url}/api/v1/assets`, { method: 'POST', headers, body: file });
  const asset = (await uploaded.json()) as Payload;
  const items = [
    ...notes.map((content, number) => ({ id: `note-${number}`, body: { content } })),
    { id: 'again', after: ['note-7'], body: { content: notes[7] } },
    { id: 'file', body: { asset_id: asset.id } },
    { id: 'unknown', body: { asset_id: 'ast_00000000000000000000000000' } },
    {
      id: 'ask',
      kind: 'chat.completion',
      after: ['note-42'],
      body: {
        messages: [{ role: 'user', content: 'The ferry 42 leaves at dawn [1].' }],
        model: 'compatible/lastline',
        knowledge: { entry_ids: [{ $from: 'note-42', path: 'output.0.entry_id' }] },
      },
    },
  ];
  const { body: batch } = await client.post('/batches', { kind: 'knowledge.ingest', items });
  expect(batch.error).toBeUndefined();
  const ended = async () => (await client.get(`/batches/${batch.id}`)).body;
  await poll('some have ended', async () => (await ended()).progress.completed >= 20, 60_000);
  await worker.end('SIGKILL');
  worker = await platform.startKnowledgeWorker();
  const single = await create({ content: 'A single note about the lighthouse.' });
  const [done] = await Promise.all([
    poll(
      'the batch has ended',
      async () => {
        const found = await ended();
        return found.status === 'completed' ? found : undefined;
      },
      120_000,
    ),
    ready(single.id),
  ]);
  expect(done.counts).toMatchObject({ succeeded: items.length - 1, failed: 1 });
  expect(done.progress).toMatchObject({ remaining_s: 0, per_second: expect.any(Number) });

  const { body: text } = await client.get(`/batches/${batch.id}/results`);
  const results = new Map<string, Payload>(
    text
      .trim()
      .split('\n')
      .map((line: string) => JSON.parse(line))
      .map((line: Payload) => [line.item_id, line]),
  );
  expect(results.get('unknown')?.error).toMatchObject({ code: 'invalid_request' });
  const idOf = (item: string) => results.get(item)?.execution.output[0];
  expect(idOf('again')).toEqual({ type: 'entry', entry_id: idOf('note-7').entry_id, duplicate: true });
  expect(citationsOf(results.get('ask')?.execution)).toMatchObject([{ entry_id: idOf('note-42').entry_id }]);
  const ids = [...notes.map((_, number) => idOf(`note-${number}`).entry_id), idOf('file').entry_id];
  expect(new Set(ids).size).toBe(notes.length + 1);
  const { body: after } = await client.get('/console/knowledge?limit=1');
  expect(after.counts.ready - before.counts.ready).toBe(notes.length + 2);
  expect(after.counts).toMatchObject({ processing: 0, failed: before.counts.failed });
  for (const [query, id] of [
    ['ferry 99', idOf('note-99').entry_id],
    ['ferry of the file at noon', idOf('file').entry_id],
  ]) {
    const found = await client.post('/console/knowledge/search', { query, top_k: 50, entry_ids: [id] });
    expect(found.body.output.map(({ passage }: Payload) => passage.position)).toEqual([0]);
  }
});
