import { randomBytes } from 'node:crypto';
import { fakeVoice } from '@chorus/testing';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import { poll } from './poll.ts';
import { dumpStore } from './stored-text.ts';
import { WordFinder } from './word-finder.ts';

/** Returns a single token for the search index that no model can know. */
const planted = () => `planted${randomBytes(9).toString('hex')}`;

/** All planted words; no log may contain one. */
const words: string[] = [];
const fresh = () => {
  const word = planted();
  words.push(word);
  return word;
};
const heard = fresh();

let platform: Platform;
let finder: WordFinder;

beforeAll(async () => {
  platform = await startPlatform({
    background: 1,
    models: ['echo', 'words-5', 'words-embedding'],
    env: {
      EMBEDDING_MODEL: 'compatible/words-embedding',
      DEFAULT_SPEECH_MODEL: 'openai/tts-1',
      DEFAULT_TRANSCRIPTION_MODEL: 'openai/whisper-1',
    },
    transcript: () => `Remember ${heard}`,
    // A provider whose errors repeat the refused input.
    script: ({ body }) => {
      const said = JSON.stringify((body.messages as unknown[] | undefined)?.at(-1) ?? '');
      const [refused] = /refuse planted\w+/.exec(said) ?? [];
      if (refused === undefined) return undefined;
      return {
        kind: 'fail',
        status: 400,
        error: { message: `I ${refused}.`, type: 'invalid_request_error', code: null },
      };
    },
  });
  finder = await WordFinder.open(platform);
});
afterAll(() => platform?.stop());
beforeEach(() => {
  platform.showLogsOnFailure();
  finder.settle();
});

const ok = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
  const answer = await platform.client.call(method, path, { ...(body === undefined ? {} : { body }), headers });
  if (answer.status !== 200) expect([path, answer.body.error]).toEqual([path, null]);
  return answer.body as Payload;
};
const isServed = async (url: string) => (await fetch(new URL(url, platform.apis[0]?.url))).status === 200;
const remove = (path: string) => ok('DELETE', path);
const chat = (body: Payload) => ok('POST', '/chat/completions', body);
const withKey = () => ({ 'idempotency-key': randomBytes(9).toString('hex') });

/** Checks that the finder finds each word now, so that a later miss is meaningful. */
async function expectFound(...planted: string[]): Promise<void> {
  for (const places of await finder.findAll(planted)) {
    expect(places.filter((place) => place.startsWith('GET'))).not.toEqual([]);
    expect(places).toContain('store');
  }
}

async function expectGone(...planted: string[]): Promise<void> {
  expect(await finder.findAll(planted)).toEqual(planted.map(() => []));
}

async function upload(path: string, name: string, content: Uint8Array | string, fields: Record<string, string> = {}) {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.append(key, value);
  form.append('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), name);
  const response = await fetch(`${platform.apis[0]?.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${platform.client.token}`, 'x-scope-type': 'personal' },
    body: form,
  });
  const body = (await response.json()) as Payload;
  expect([response.status, body.error ?? null]).toEqual([200, null]);
  return body;
}

function wav(pcm: Buffer): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + pcm.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(24_000, 24);
  head.writeUInt32LE(48_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(pcm.length, 40);
  return Buffer.concat([head, pcm]);
}

test('deletes a message, and then the answer that repeats it', async () => {
  const word = fresh();
  const first = await chat({ message: `Say ${word}`, model: 'compatible/echo' });
  const [question, answer] = await platform.client.messages(first.session_id);
  // Edits and undos store more revisions, and responses under idempotency keys.
  await ok('PATCH', `/messages/${question.id}`, { content: `Say ${word} again` });
  await ok('POST', `/messages/${question.id}/undo`, {}, withKey());
  await expectFound(word);

  await remove(`/messages/${question.id}`);
  const left = await finder.find(word);
  expect(left).toContain(`GET /messages/${answer.id}`);
  expect(left.filter((place) => place.includes('job_') || place.includes(question.id))).toEqual([]);
  expect((await ok('GET', `/sessions/${first.session_id}`)).title).toBeNull();
  await remove(`/messages/${answer.id}`);
  await expectGone(word);
});

test('deletes a session with tool calls, their results, and reasoning', async () => {
  const [asked, result] = [fresh(), fresh()];
  const parameters = { type: 'object', properties: { place: { const: asked } } };
  const tools = [{ type: 'function', function: { name: 'look', parameters } }];
  const model = 'compatible/think-call';
  const { session_id, choices } = await chat({ message: 'Look', model, tools });
  const [call] = choices[0].message.tool_calls;
  expect(call.function.arguments).toContain(asked);
  const tool_outputs = [{ tool_call_id: call.id, output: result }];
  const answer = await chat({ session_id, model, tools, tool_outputs });
  expect(answer.output.at(-1).text).toBe(`The result is ${result}`);
  await expectFound(asked, result);
  await remove(`/sessions/${session_id}`);
  await expectGone(asked, result);
});

test('deletes a session with replaced, retried, and failed answers', async () => {
  const word = fresh();
  const first = await chat({ message: `Say ${word}`, model: 'compatible/echo' });
  const { session_id } = first;
  await chat({ regenerate_from: first.message_id, session_id, model: 'compatible/echo' });
  const running = await platform.client.start({ message: 'On', session_id, model: 'compatible/words-900-delay-20' });
  const refused = await platform.client.call('DELETE', `/sessions/${session_id}`);
  expect([refused.status, refused.body.error.code]).toEqual([409, 'session_locked']);
  expect((await platform.client.call('DELETE', `/jobs/${running.id}`)).body.error).toMatchObject({
    code: 'job_running',
  });
  await ok('POST', `/jobs/${running.id}/cancel`, {});
  await platform.client.waitForJob(running.id);
  const failed = await chat({ message: `refuse ${word}`, session_id, model: 'compatible/words-5' });
  expect(failed.status).toBe('failed');
  await ok('POST', `/jobs/${failed.id}/retry`, {});
  await ok('PATCH', `/sessions/${session_id}`, { title: `About ${word}`, metadata: { about: word } });
  await expectFound(word);
  const begun = await ok('GET', '/usage');

  await remove(`/sessions/${session_id}`);
  await expectGone(word);
  // Usage is kept.
  const sum = ({ data }: Payload) => data.reduce((all: number, row: Payload) => all + row.executions, 0);
  expect(sum(await ok('GET', '/usage'))).toBe(sum(begun));
});

test('deletes a session with only a title, and its stored idempotent answer', async () => {
  const word = fresh();
  const headers = withKey();
  const { id } = await ok('POST', '/sessions', { title: `Titled ${word}` }, headers);
  await expectFound(word);
  await remove(`/sessions/${id}`);
  await expectGone(word);
  const again = await platform.client.post('/sessions', { title: `Titled ${word}` }, { headers });
  expect([again.status, again.body.error.code]).toEqual([404, 'not_found']);
});

test('deletes a spoken session with its recording and the audio of its answer', async () => {
  const asked = await upload('/voice/chat', 'said.wav', wav(fakeVoice(1)), { model: 'compatible/echo' });
  expect(asked.output).toMatchObject([{ type: 'transcript' }, { type: 'text' }, { type: 'asset' }]);
  const written = await ok('POST', '/voice/chat', {
    text: `Say ${heard}`,
    session_id: asked.session_id,
    model: 'compatible/echo',
  });
  await expectFound(heard);
  const sounds = (await ok('GET', '/assets?kind=audio')).data;
  expect(sounds).toHaveLength(3);
  for (const { url } of sounds) expect(await isServed(url)).toBe(true);

  await remove(`/sessions/${asked.session_id}`);
  await expectGone(heard);
  for (const { url } of sounds) expect(await isServed(url)).toBe(false);
  expect((await platform.client.get(`/jobs/${written.id}`)).status).toBe(404);
  expect((await ok('GET', '/assets?kind=audio')).data).toEqual([]);
});

test('deletes a document from every answer that quotes it, with its file name', async () => {
  const [word, name] = [fresh(), fresh()];
  const content = `The code of the vault in Holm is ${word}.\n\nThe lamps of Holm are lit at dusk.\n`;
  const entry = await upload('/console/knowledge/upload', `${name}.txt`, content);
  await poll('it is ready', async () => (await ok('GET', `/console/knowledge/${entry.id}`)).status === 'ready');
  const question = 'What is the code of the vault in Holm?';
  const ask = (body: Payload) =>
    ok('POST', '/console/knowledge/ask', { question, model: 'embedded/assistant', ...body });
  const { id: session_id } = await ok('POST', '/sessions', { title: 'Holm' });
  const stands = await ask({});
  expect(JSON.stringify(stands.output)).toContain(word);
  const turn = await ask({ session_id });
  await ok('POST', '/console/knowledge/search', { query: 'the code of the vault' });
  const answer = (await platform.client.messages(session_id)).at(-1);
  await ok('PATCH', `/messages/${answer.id}`, { content: `${answer.content} So it is.` });
  await ok('POST', `/messages/${answer.id}/undo`, {}, withKey());
  await expectFound(word, name);

  await remove(`/console/knowledge/${entry.id}`);
  await expectGone(word, name);
  const message = await ok('GET', `/messages/${answer.id}`);
  expect(message.content).toMatch(/word for word:\s+- \[removed: the document was deleted\] \[1\]/);
  expect(message.citations).toMatchObject([{ marker: 1, entry_id: entry.id, title: '', quote: '' }]);
  expect((await ok('GET', `/jobs/${turn.id}`)).status).toBe('succeeded');
  // The query itself must not contain the planted word.
  const found = await ok('POST', '/console/knowledge/search', { query: 'the code of the vault in Holm' });
  expect(found.output).toEqual([]);
});

test("deletes an image's prompt, which is part of its file name", async () => {
  const [word, other] = [fresh(), fresh()];
  const image = await ok('POST', '/iris/generate', { prompt: `A sun over ${word}`, size: '256x256' }, withKey());
  expect(image.output[0].asset.filename).toContain(word);
  const kept = await ok('POST', '/iris/generate', { prompt: `A moon over ${other}`, size: '256x256' });
  await expectFound(word, other);
  await remove(`/jobs/${image.id}?assets=true`);
  expect(await isServed(image.output[0].asset.url)).toBe(false);
  expect((await platform.client.call('DELETE', `/jobs/${image.id}`)).status).toBe(404);

  // Deleting the asset alone removes its name from the result.
  await remove(`/assets/${kept.output[0].asset.id}`);
  const [gone, left] = await finder.findAll([word, other]);
  expect(gone).toEqual([]);
  // Its job stays, and the list shows its prompt.
  const ofJob = ['store', 'GET /jobs?limit=100'];
  expect(left?.filter((place) => !ofJob.includes(place))).toEqual([]);
  await remove(`/jobs/${kept.id}`);
  await expectGone(other);
});

test('deletes a batch item by its job, and all items by the batch', async () => {
  const [one, two, file] = [fresh(), fresh(), fresh()];
  const item = (id: string, content: string, model: string) => ({
    id,
    body: { messages: [{ role: 'user', content }], model },
  });
  const batch = await ok('POST', '/batches', {
    kind: 'chat.completion',
    metadata: { file },
    items: [
      item('good', `Say ${one}`, 'compatible/echo'),
      item('bad', `refuse ${two}`, 'compatible/words-5'),
      item('other', `Say ${two}`, 'compatible/echo'),
    ],
  });
  await poll('it has ended', async () => (await ok('GET', `/batches/${batch.id}`)).status === 'completed');
  await expectFound(one, two, file);
  const items = (await ok('GET', `/batches/${batch.id}/items`)).data;
  expect(JSON.stringify(items[1].error)).toContain(two);

  await remove(`/jobs/${items[0].execution_id}`);
  await remove(`/jobs/${items[1].execution_id}`);
  expect((await finder.find(one)).filter((place) => place !== 'store')).toEqual([]);
  const results = String((await platform.client.get(`/batches/${batch.id}/results`)).body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Payload);
  expect(results.find(({ item_id }) => item_id === 'good')).toMatchObject({ status: 'succeeded', execution: null });
  expect(results.find(({ item_id }) => item_id === 'bad')).toMatchObject({
    status: 'failed',
    execution: null,
    error: { message: 'The execution of this item was deleted.' },
  });
  await remove(`/batches/${batch.id}`);
  await expectGone(one, two, file);
});

test('deletes an archive entry, and a snapshot that outlives its source', async () => {
  const [word, copied] = [fresh(), fresh()];
  const unit = await ok('POST', '/archive/units', { title: `On ${word}`, content: `It says ${word}.` }, withKey());
  await ok('PATCH', `/archive/units/${unit.id}`, { content: `It says ${word}, still.` });
  const { session_id } = await chat({ message: `Say ${copied}`, model: 'compatible/echo' });
  const snapshot = await ok('POST', '/archive/units', { from: { type: 'session', id: session_id } });
  await expectFound(word, copied);
  await remove(`/archive/units/${unit.id}`);
  await remove(`/sessions/${session_id}`);
  expect((await ok('GET', `/archive/units/${snapshot.id}`)).content).toContain(copied);
  await remove(`/archive/units/${snapshot.id}`);
  await expectGone(word, copied);
});

test('deletes the name and content of an uploaded file, a folder, a prompt, and an agent', async () => {
  const [name, content, filed, word, instructions] = [fresh(), fresh(), fresh(), fresh(), fresh()];
  const asset = await upload('/assets', `${name}.txt`, `It says ${content}.`);
  const folder = await ok('POST', '/folders', { name: filed }, withKey());
  const prompt = await ok('POST', '/prompts', { name: word, content: `Write on ${word}.` }, withKey());
  const agent = await ok('POST', '/agents', { name: instructions, instructions: `Say ${instructions}` }, withKey());
  await expectFound(name, filed, word, instructions);
  expect(await finder.find(content)).toContain(`GET /assets/${asset.id}/content`);
  await remove(`/assets/${asset.id}`);
  await remove(`/folders/${folder.id}`);
  await remove(`/prompts/${prompt.id}`);
  await remove(`/agents/${agent.id}`);
  await expectGone(name, content, filed, word, instructions);
});

test('the sweep completes a deletion whose process was killed', async () => {
  const word = fresh();
  const { session_id } = await chat({ message: `Say ${word}`, model: 'compatible/echo' });
  for (let turn = 0; turn < 5; turn++) await chat({ message: `Say ${word}`, session_id, model: 'compatible/echo' });
  await expectFound(word);
  const api = await platform.startApi();
  const deleting = platform.client.call('DELETE', `/sessions/${session_id}`, { url: api.url }).catch(() => null);
  await poll(
    'the deletion is stored',
    async () => (await platform.client.get(`/sessions/${session_id}`)).status === 404,
  );
  await api.end('SIGKILL');
  await deleting;
  await poll('the store has lost it', async () => !(await dumpStore(platform.store)).includes(word), 100_000);
  await poll('nothing is left', async () => (await finder.find(word)).length === 0);
}, 200_000);

test('leaves no trace in any log, and has covered every GET', () => {
  const logs = [...platform.apis, ...platform.textWorkers, ...platform.background];
  for (const { name, log } of logs)
    for (const word of words) expect([name, log.filter((line) => line.includes(word))]).toEqual([name, []]);
  expect(
    [...finder.unread].filter(
      (path) => !/^\/(workspaces|webhook-deliveries|api-keys|mcp-servers|tool-apis|shared)\//.test(path),
    ),
  ).toEqual([]);
});
