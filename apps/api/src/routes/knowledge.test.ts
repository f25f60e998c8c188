import { createHash } from 'node:crypto';
import { ChorusError, toErrorBody } from '@chorus/contract';
import { spaceOf } from '@chorus/knowledge';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson, type Person } from '../test-people.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  await api?.stop();
});

const as = ({ token }: Person) => ({ headers: { authorization: `Bearer ${token}` } });
const post = (person: Person, body: unknown, path = '/console/knowledge') =>
  api.call('POST', path, { ...as(person), body });
const get = (person: Person, path: string) => api.call('GET', path, as(person));
const ownerOf = ({ id }: Person) => ({ scope: 'personal', user_id: id, workspace_id: null }) as const;
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

function form(files: Record<string, string>, fields: Record<string, string> = {}): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  for (const [name, text] of Object.entries(files)) made.append('file', new Blob([text]), name);
  return made;
}

/** Makes an entry searchable like a worker, without reading a document. */
async function publish(person: Person, id: string, texts: string[]): Promise<void> {
  const { database, search } = api.services;
  const space = spaceOf('test/vectors', 2);
  await database.knowledgeSpaces.setFirst(space);
  const { title, tags, revision, execution_id } = (await database.knowledge.get(ownerOf(person), id))!;
  const scope_key = `personal:${person.id}`;
  const rows = texts.map((text, position) => {
    const row = { id: `${id}:${revision}:${position}`, scope_key, entry_id: id, revision, title, tags, text };
    return { ...row, heading_path: [], page: null, position, vector: Float32Array.of(1, 0) };
  });
  await (await search.chunks(space)).replace(scope_key, id, rows);
  const found = { chunk_count: texts.length, embedding_model: space.model, spaces: [space.name] };
  await database.knowledge.publish(ownerOf(person), id, { execution_id: String(execution_id), revision, ...found });
}

async function fail(person: Person, id: string): Promise<void> {
  const error = toErrorBody(new ChorusError('timeout', 'Too late.'), null);
  await api.services.database.knowledge.fail(ownerOf(person), id, null, error);
}

test('answers a text at once with its entry, and queues the ingestion', async () => {
  const person = await freshPerson(api);
  const content = '# Roses\n\nThey need sun.';
  const { status, body } = await post(person, { content, tags: ['garden', 'garden'], metadata: { by: 'me' } });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    object: 'knowledge.entry',
    title: 'Roses',
    source: { type: 'text', format: 'markdown' },
    status: 'processing',
    tags: ['garden'],
    metadata: { by: 'me' },
    sha256: hashOf(content),
    revision: 1,
    searchable_revision: null,
    duplicate: false,
  });
  expect(body).not.toHaveProperty('text_name');
  const job = await get(person, `/jobs/${body.execution_id}`);
  expect(job.body).toMatchObject({ kind: 'knowledge.ingest', status: 'queued', surface: 'knowledge' });
  const { duplicate: _, ...entry } = body;
  const read = await get(person, `/console/knowledge/${body.id}`);
  expect(read.body).toEqual(entry);
  expect(read.headers.get('etag')).toMatch(/^"1-/);
});

test('the same content is one entry per scope, even for simultaneous requests, unless a copy is requested', async () => {
  const [person, other] = await Promise.all([freshPerson(api), freshPerson(api)]);
  const content = 'Said by several at once.';
  const all = await Promise.all(Array.from({ length: 6 }, () => post(person, { content })));
  expect(all.map(({ status }) => status)).toEqual(Array(6).fill(200));
  expect(new Set(all.map(({ body }) => body.id)).size).toBe(1);
  expect(all.filter(({ body }) => !body.duplicate)).toHaveLength(1);
  expect((await get(person, '/jobs?kind=knowledge.ingest')).body.data).toHaveLength(1);
  expect((await post(person, { content, on_duplicate: 'create' })).body.duplicate).toBe(false);
  expect((await post(other, { content })).body.duplicate).toBe(false);
  expect((await get(person, '/console/knowledge')).body.counts).toMatchObject({ total: 2, processing: 2 });
});

test('creates an entry for each of several files; a duplicate leaves no file', async () => {
  const person = await freshPerson(api);
  const upload = (body: FormData) => post(person, body, '/console/knowledge/upload');
  const first = await upload(form({ 'Old trees.md': '# Oaks', 'flowers.txt': 'Tulips' }, { tags: '["a","b"]' }));
  expect(first.status).toBe(200);
  expect(first.body.failed).toEqual([]);
  const [oaks, tulips] = first.body.data;
  expect(oaks).toMatchObject({ title: 'Old trees', tags: ['a', 'b'], duplicate: false, status: 'processing' });
  expect(tulips.source).toEqual({
    type: 'file',
    asset_id: expect.stringMatching(/^ast_/),
    filename: 'flowers.txt',
    mime_type: 'text/plain',
  });
  const again = await upload(form({ 'other name.txt': 'Tulips', 'new.txt': 'Pines' }));
  expect(
    again.body.data.map(({ id, duplicate }: { id: string; duplicate: boolean }) => [id === tulips.id, duplicate]),
  ).toEqual([
    [true, true],
    [false, false],
  ]);
  expect((await get(person, '/assets')).body.data).toHaveLength(3);

  const two = { 'a.txt': 'A', 'b.txt': 'B' };
  for (const field of [{ title: 'One' }, { stream: 'true' }] as Record<string, string>[]) {
    const refused = await upload(form(two, field));
    expect(refused.body.error.details[0]).toMatchObject({ path: `body.${Object.keys(field)[0]}` });
  }
  const many = form(Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`${index}.txt`, `Text ${index}`])));
  expect((await upload(many)).body.error.details[0]).toEqual({
    path: 'body.file',
    message: 'must be at most 50 files',
  });
  expect((await upload(new FormData())).status).toBe(400);
  expect((await get(person, '/assets')).body.data).toHaveLength(3);
});

test('a repeated request with its key gets the entry in its current state', async () => {
  const person = await freshPerson(api);
  const headers = { ...as(person).headers, 'idempotency-key': 'one' };
  const body = { content: 'Only once.', on_duplicate: 'create' };
  const first = await api.call('POST', '/console/knowledge', { headers, body });
  await fail(person, first.body.id);
  const second = await api.call('POST', '/console/knowledge', { headers, body });
  expect(second.body).toMatchObject({ id: first.body.id, status: 'failed', duplicate: false });
  expect((await get(person, '/console/knowledge')).body.counts.total).toBe(1);
});

test('refuses invalid requests before storing anything', async () => {
  const person = await freshPerson(api);
  for (const [body, path] of [
    [{}, 'body.content'],
    [{ content: 'x', url: 'https://example.org' }, 'body.content'],
    [{ url: 'https://example.org', format: 'html' }, 'body.format'],
    [{ url: 'http://127.0.0.1/x' }, 'body.url'],
    [{ content: 'x', webhook_url: 'http://10.0.0.1/' }, 'body.webhook_url'],
  ] as const) {
    const { status, body: answer } = await post(person, body);
    expect(status).toBe(400);
    expect(answer.error.details[0].path).toBe(path);
  }
  expect((await get(person, '/console/knowledge')).body.counts.total).toBe(0);
});

test('title and tags change at once; content becomes a new revision while the old one stays searchable', async () => {
  const person = await freshPerson(api);
  const { body: made } = await post(person, { content: 'The first words.' });
  const path = `/console/knowledge/${made.id}`;
  await publish(person, made.id, ['The first words.']);
  const patch = (body: unknown, headers = {}) =>
    api.call('PATCH', path, { body, headers: { ...as(person).headers, ...headers } });
  const renamed = await patch({ title: 'Chosen', tags: ['t'], metadata: { a: 'b' } });
  expect(renamed.body).toMatchObject({
    title: 'Chosen',
    tags: ['t'],
    metadata: { a: 'b' },
    revision: 1,
    status: 'ready',
  });
  const space = (await api.services.database.knowledgeSpaces.get()).current!;
  const table = await api.services.search.chunks(space);
  const question = { scopeKey: `personal:${person.id}`, text: 'first words', limit: 3, weight: 0 };
  expect(await table.find({ ...question, tags: ['t'] })).toMatchObject([{ title: 'Chosen' }]);

  expect((await patch({ content: 'x' }, { 'if-match': '"7"' })).status).toBe(409);
  const revised = await patch({ content: 'The second words.', tags: ['u'] }, { 'if-match': '"1"' });
  expect(revised.headers.get('etag')).toMatch(/^"2-/);
  expect(revised.body).toMatchObject({
    revision: 2,
    searchable_revision: 1,
    status: 'processing',
    chunk_count: 1,
    tags: ['u'],
    sha256: hashOf('The second words.'),
  });
  expect((await get(person, `${path}/chunks`)).body.data).toMatchObject([{ text: 'The first words.', revision: 1 }]);

  const third = await patch({ content: 'The third words.' });
  expect(third.body).toMatchObject({ revision: 3, searchable_revision: 1 });
  expect((await get(person, `/jobs/${revised.body.execution_id}`)).body.status).toBe('cancelled');
  expect((await get(person, path)).body).toMatchObject({ status: 'processing', execution_id: third.body.execution_id });
  await publish(person, made.id, ['The third words.', 'And more.']);
  const page = await get(person, `${path}/chunks?limit=1`);
  expect(page.body).toMatchObject({
    data: [{ text: 'The third words.', revision: 3 }],
    has_more: true,
    next_cursor: '0',
  });
  expect((await get(person, `${path}/chunks?after=0`)).body.data).toMatchObject([{ text: 'And more.', position: 1 }]);
  expect((await get(person, `${path}/chunks?after=x`)).status).toBe(400);
});

test('retries a failed entry with a new execution, and refuses others', async () => {
  const person = await freshPerson(api);
  const { body: made } = await post(person, { content: 'Again.' });
  const path = `/console/knowledge/${made.id}`;
  const retry = (body = {}) => api.call('POST', `${path}/retry`, { ...as(person), body });
  expect((await retry()).body.error.code).toBe('job_not_retryable');
  await api.call('POST', `/jobs/${made.execution_id}/cancel`, as(person));
  const cancelled = await get(person, path);
  expect(cancelled.body).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
  const now = { headers: { ...as(person).headers, prefer: 'respond-async' }, body: {} };
  // Simultaneous requests of both routes are one retry.
  const answers = await Promise.all(
    [`${path}/retry`, `/jobs/${made.execution_id}/retry`, `${path}/retry`].map((one) => api.call('POST', one, now)),
  );
  const again = answers[0] as Answer;
  expect(answers.map(({ status, body }) => [status, body.id])).toEqual(answers.map(() => [200, again.body.id]));
  expect(again.body).toMatchObject({ kind: 'knowledge.ingest', status: 'queued', retry_of: made.execution_id });
  expect((await get(person, path)).body).toMatchObject({
    status: 'processing',
    execution_id: again.body.id,
    error: null,
  });
  await api.call('POST', `/jobs/${again.body.id}/cancel`, as(person));
  const byJob = (id: string) =>
    api.call('POST', `/jobs/${id}/retry`, { headers: { ...as(person).headers, prefer: 'respond-async' }, body: {} });
  expect((await byJob(made.execution_id)).body.error.code).toBe('job_not_retryable');
  const third = await byJob(again.body.id);
  expect(third.body).toMatchObject({ retry_of: again.body.id });
  expect((await get(person, path)).body.execution_id).toBe(third.body.id);
});

test('removes a deleted entry from lists, searches and object storage, with its file and jobs', async () => {
  const person = await freshPerson(api);
  const upload = (name: string, text: string) => post(person, form({ [name]: text }), '/console/knowledge/upload');
  const gone = (await upload('gone.txt', 'To be forgotten')).body;
  const kept = (await upload('kept.txt', 'To be remembered')).body;
  for (const { id } of [gone, kept]) await publish(person, id, [`The words of ${id}`]);
  await api.call('PATCH', `/console/knowledge/${gone.id}`, { ...as(person), body: { content: 'A new one' } });
  const { execution_id } = (await get(person, `/console/knowledge/${gone.id}`)).body;
  const { status, body } = await api.call('DELETE', `/console/knowledge/${gone.id}`, as(person));
  expect({ status, body }).toEqual({ status: 200, body: { id: gone.id, object: 'knowledge.entry', deleted: true } });

  expect((await get(person, `/console/knowledge/${gone.id}`)).status).toBe(404);
  expect((await get(person, `/console/knowledge/${gone.id}/chunks`)).status).toBe(404);
  expect((await api.call('DELETE', `/console/knowledge/${gone.id}`, as(person))).status).toBe(404);
  expect((await get(person, '/console/knowledge')).body).toMatchObject({
    data: [{ id: kept.id }],
    counts: { total: 1 },
  });
  expect((await get(person, `/jobs/${execution_id}`)).status).toBe(404);
  const [ingestion] = await api.services.database.executions.listStates([execution_id]);
  expect(ingestion?.status).toBe('cancelled');
  const { database, search, blobs, knowledgeKeys } = api.services;
  const table = await search.chunks((await database.knowledgeSpaces.get()).current!);
  const found = await table.find({ scopeKey: `personal:${person.id}`, text: 'the words', limit: 9, weight: 0 });
  expect(found.map(({ entry_id }) => entry_id)).toEqual([kept.id]);
  expect((await blobs.list({ prefix: await knowledgeKeys.ofEntry(gone.id) })).blobs).toEqual([]);
  expect((await get(person, '/assets')).body.data.map(({ id }: { id: string }) => id)).toEqual([kept.source.asset_id]);
  expect(await database.knowledge.existing([gone.id])).toEqual(new Set());
  const audit = await get(person, '/audit');
  expect(audit.body.data[0]).toMatchObject({ action: 'knowledge.deleted', target: { id: gone.id } });
});

test('keeps a stored file whose entry is deleted or replaced', async () => {
  const person = await freshPerson(api);
  const asset = (await post(person, form({ 'oaks.txt': 'Oaks grow slowly.' }), '/assets')).body;
  const { status, body: entry } = await post(person, { asset_id: asset.id });
  expect(status).toBe(200);
  expect(entry.source).toEqual({
    type: 'file',
    asset_id: asset.id,
    filename: 'oaks.txt',
    mime_type: 'text/plain',
    kept: true,
  });
  const path = `/console/knowledge/${entry.id}`;
  expect((await api.call('PATCH', path, { ...as(person), body: { content: 'Elms' } })).status).toBe(200);
  expect((await api.call('DELETE', path, as(person))).status).toBe(200);
  expect((await get(person, `/assets/${asset.id}`)).status).toBe(200);
});

test('keeps the same document of two owners separate', async () => {
  const [one, two] = await Promise.all([freshPerson(api), freshPerson(api)]);
  const content = 'The very same document.';
  const [mine, theirs] = await Promise.all([post(one, { content }), post(two, { content })]);
  await Promise.all([publish(one, mine.body.id, [content]), publish(two, theirs.body.id, [content])]);
  expect(mine.body.id).not.toBe(theirs.body.id);
  const path = `/console/knowledge/${theirs.body.id}`;
  for (const [method, at, body] of [
    ['GET', path],
    ['GET', `${path}/chunks`],
    ['PATCH', path, { title: 'x' }],
    ['DELETE', path],
    ['POST', `${path}/retry`, {}],
  ] as const)
    expect((await api.call(method, at, { ...as(one), ...(body ? { body } : {}) })).status).toBe(404);
  expect((await get(one, '/console/knowledge')).body.data.map(({ id }: { id: string }) => id)).toEqual([mine.body.id]);
});

test('creates an archive unit from the text of an entry', async () => {
  const person = await freshPerson(api);
  const { body: made } = await post(person, { content: 'x', title: 'Trees' });
  const from = { type: 'knowledge', id: made.id };
  expect((await post(person, { from }, '/archive/units')).status).toBe(400);
  const { RevisionFiles } = await import('@chorus/knowledge');
  const { blobs, knowledgeKeys: keys } = api.services;
  const piece = (position: number, text: string, heading_path: string[]) => {
    return { position, text, heading_path, page: null, kind: 'text' } as const;
  };
  await new RevisionFiles({ blobs, keys }, made.id, 1).putPieces(
    { title: null, page_count: null, warnings: [], size_bytes: 1, sha256: 'x', mime_type: 'text/plain' },
    [
      piece(0, 'Oaks are old. They last.', ['Trees', 'Oaks']),
      piece(1, 'They last. Longer than we do.', ['Trees', 'Oaks']),
      piece(2, 'Elms die.', ['Trees', 'Elms']),
    ],
  );
  await publish(person, made.id, ['Oaks']);
  const unit = await post(person, { from }, '/archive/units');
  expect(unit.body).toMatchObject({
    title: 'Trees',
    content: '# Trees\n\n## Oaks\n\nOaks are old. They last.\n\nLonger than we do.\n\n## Elms\n\nElms die.',
  });
});
