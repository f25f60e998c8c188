import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Payload } from './event-stream.ts';
import { type Platform, startPlatform } from './platform.ts';

/** Hides the packages with binaries, as on a platform for which there are none. */
const HIDE = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (!/lancedb-|onnxruntime_binding|c2pa-node/.test(found.url)) return found;
    throw Object.assign(new Error('hidden: ' + specifier), { code: 'MODULE_NOT_FOUND' });
  },
});`;

let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform({
    mediaWorkers: 1,
    knowledgeWorkers: 1,
    env: {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(HIDE)}`,
      DEFAULT_IMAGE_MODEL: 'embedded/canvas',
      KNOWLEDGE_EMBEDDING_MODEL: 'embedded/use-lite',
    },
  });
});
afterAll(() => platform.stop());
beforeEach(() => platform.showLogsOnFailure());

it('names missing components in the log, the health, and the models', async () => {
  const { status, body } = await platform.client.get('/chat/health');
  expect([status, body.status]).toEqual([200, 'degraded']);
  const needed = body.missing.filter(({ optional }: Payload) => !optional);
  expect(needed.map(({ name, pools }: Payload) => [name, pools])).toEqual([
    ['embeddings', ['knowledge', 'text']],
    ['listening', ['knowledge']],
    ['search', ['knowledge', 'text']],
    ['signing', ['media']],
  ]);
  const search = body.missing.find(({ name }: Payload) => name === 'search');
  expect(search.message).toMatch(/`@lancedb\/lancedb-\w+-\w+` is not installed for .* Run `npm install`/);
  const said = platform.knowledgeWorkers[0]?.log.filter((line) => line.includes('@lancedb/lancedb-'));
  expect(said).toHaveLength(1);
  const models = (await platform.client.get('/models')).body.data;
  const unavailable = models.filter(({ unavailable }: Payload) => unavailable).map(({ id }: Payload) => id);
  expect(unavailable).toEqual(expect.arrayContaining(['embedded/kokoro', 'embedded/use-lite']));
  expect((await fetch(`${platform.apis[0]?.url}/readyz`)).status).toBe(200);
});

it('fails requests that need them at once', async () => {
  const failure = { code: 'feature_unavailable', status: 501 };
  const { client } = platform;
  const search = await client.post('/console/knowledge/search', { query: 'mill' });
  expect(search.body.error).toMatchObject(failure);
  const ask = await client.post('/console/knowledge/ask', { question: 'When?', model: 'compatible/lastline' });
  expect(ask.body.error).toMatchObject(failure);
  const document = { title: 'Mill', content: 'The mill burned down in 1904.' };
  const added = await client.post('/console/knowledge', document, { headers: { prefer: 'wait=60' } });
  expect(added.body.error).toMatchObject(failure);
  const embedding = await client.post('/embeddings', { input: 'mill', model: 'embedded/use-lite' });
  expect([embedding.status, embedding.body.error]).toEqual([501, expect.objectContaining(failure)]);
});

it('draws an image without a signature, and says so', async () => {
  const { body } = await platform.client.post('/iris/generate', { prompt: 'a boat', size: '128x128' });
  expect([body.status, body.warnings]).toEqual(['succeeded', [expect.stringMatching(/^The file is not signed\. /)]]);
});
