import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ApiClient } from './api-client.ts';
import type { Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';
import type { PlatformProcess } from './platform-process.ts';
import { poll } from './poll.ts';
import { checkOut, previousVersion } from './previous-version.ts';

// Runs the previous version alongside this one on the same stores: an upgrade without downtime, and back. It takes
// minutes where the packages of both differ, so it runs only in `npm run soak`.
const from = process.env.CHORUS_SOAK === '1' ? await previousVersion() : null;

/** Long enough to span the replacement of all workers. */
const LONG_ANSWER = 'compatible/words-400-delay-40';

let previous: Awaited<ReturnType<typeof checkOut>>;
let platform: Platform;
let client: ApiClient;

beforeAll(async () => {
  if (from === null) return;
  previous = await checkOut(from);
  platform = await startPlatform({
    root: previous.folder,
    knowledgeWorkers: 1,
    maintenance: 1,
    models: ['lastline', 'words-400-delay-40', 'words-embedding'],
    env: { EMBEDDING_MODEL: 'compatible/words-embedding' },
  });
  ({ client } = platform);
}, 600_000);
afterAll(async () => {
  await platform?.stop();
  previous?.remove();
});
beforeEach(() => platform?.showLogsOnFailure());

interface Version {
  api: PlatformProcess;
  workers: PlatformProcess[];
}

async function startVersion(root?: string): Promise<Version> {
  const [api, ...workers] = await Promise.all([
    platform.startApi({}, root),
    platform.startTextWorker({}, root),
    platform.startKnowledgeWorker({}, root),
    platform.startMaintenance({}, root),
  ]);
  return { api, workers };
}

const clientOf = ({ api }: Version) => ApiClient.login(() => api.url, platform.login);

async function chat(by: ApiClient, message: string, session_id?: string) {
  const model = 'compatible/lastline';
  const { body } = await by.chat({ model, message, ...(session_id && { session_id }) });
  expect([body.status, body.error]).toEqual(['succeeded', null]);
  return body;
}

async function addDocument(by: ApiClient, content: string): Promise<string> {
  const { body } = await by.post('/console/knowledge', { content });
  await poll(`${body.id} is ready`, async () => {
    const entry = (await by.get(`/console/knowledge/${body.id}`)).body;
    if (entry.status === 'failed') throw new Error(JSON.stringify(entry.error));
    return entry.status === 'ready';
  });
  return body.id;
}

async function found(by: ApiClient, query: string): Promise<string[]> {
  const { body } = await by.post('/console/knowledge/search', { query });
  expect(body.error).toBeNull();
  return body.output.map(({ passage }: Payload) => passage.entry_id);
}

test.skipIf(from === null)(
  'two versions serve the same stores, in an upgrade and back',
  { timeout: 600_000 },
  async () => {
    const old: Version = {
      api: platform.apis[0] as PlatformProcess,
      workers: [...platform.textWorkers, ...platform.knowledgeWorkers, ...platform.maintenance],
    };
    const first = await chat(client, 'one');
    const mill = await addDocument(client, 'The mill of Aldbrook burned down in 1904.');

    // Both versions run, while a long answer starts on the old one.
    const running = await client.start({ model: LONG_ANSWER, message: 'go on' });
    const next = await startVersion();
    const newer = await clientOf(next);
    await chat(newer, 'two', first.session_id);
    await chat(client, 'three', first.session_id);
    expect(await found(newer, 'mill Aldbrook')).toContain(mill);
    const bridge = await addDocument(newer, 'The bridge of Holm was finished in 1911.');

    // Only the new version runs.
    await Promise.all(old.workers.map((one) => one.end('SIGTERM')));
    expect(await newer.waitForJob(running.id)).toMatchObject({ status: 'succeeded', error: null });
    await chat(client, 'four', first.session_id); // the old API still serves
    await old.api.end('SIGTERM');
    await chat(newer, 'five', first.session_id);
    const texts = (await newer.messages(first.session_id)).map(({ content }) => JSON.stringify(content));
    for (const word of ['one', 'two', 'three', 'four', 'five']) expect(texts.join('\n')).toContain(word);
    expect(await found(newer, 'bridge Holm')).toContain(bridge);

    // Back to the old version.
    const back = await startVersion(previous.folder);
    await Promise.all([next.api, ...next.workers].map((one) => one.end('SIGTERM')));
    const older = await clientOf(back);
    await chat(older, 'six', first.session_id);
    expect(await found(older, 'bridge Holm')).toContain(bridge);
    await addDocument(older, 'The ferry of Skarholm has run since 1920.');
    await Promise.all([back.api, ...back.workers].map((one) => one.end('SIGTERM')));
  },
);
