import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorkersApi, type TestWorkersApi } from '../test-workers.ts';

let api: TestWorkersApi;
beforeAll(async () => {
  api = await startWorkersApi({ models: ['echo'] });
});
afterAll(() => api.stop());

const model = 'compatible/echo';
const text = 'Look';

/** How each surface names an image by URL. */
const SURFACES: [path: string, body: (url: string) => object, field: string][] = [
  [
    '/chat/completions',
    (url) => ({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] }),
    'messages.0.content.0.image_url.url',
  ],
  [
    '/openai/v1/chat/completions',
    (url) => ({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image_url', image_url: { url } },
          ],
        },
      ],
    }),
    'messages[0].content[1].image_url.url',
  ],
  [
    '/openai/v1/responses',
    (url) => ({ input: [{ role: 'user', content: [{ type: 'input_image', image_url: url, detail: 'auto' }] }] }),
    'input[0].content[0]',
  ],
  [
    '/anthropic/v1/messages',
    (url) => ({
      max_tokens: 9,
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }],
    }),
    'messages.0.content.0',
  ],
];

test.each(SURFACES)('%s refuses private addresses of images', async (path, body, field) => {
  for (const url of ['http://169.254.169.254/latest/meta-data/', 'http://127.0.0.2/', 'http://0x7f.2/']) {
    const refused = await api.call('POST', path, { body: { model, ...body(url) } });
    expect(refused.status).toBe(400);
    expect(JSON.stringify(refused.body)).toContain(field);
    expect(JSON.stringify(refused.body)).toContain('must name a host with a public address');
  }
  expect(api.fake.requests.some(({ path: asked }) => asked.includes('chat/completions'))).toBe(false);
});
