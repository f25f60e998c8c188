import { largePng, TINY_PNG } from '@chorus/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startTestApi, type TestApi } from '../test-api.ts';
import { freshPerson, type Person } from '../test-people.ts';

const LIMIT = 10_000_000;

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ STORAGE_QUOTA_BYTES: String(LIMIT) });
});
afterAll(() => api.stop());

const as = ({ token }: Person) => ({ authorization: `Bearer ${token}` });

function upload(person: Person, bytes: Uint8Array): Promise<Answer> {
  const form = new FormData();
  form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), 'a.png');
  return api.call('POST', '/assets', { body: form, headers: as(person) });
}

const usageOf = async (person: Person) => (await api.call('GET', '/usage', { headers: as(person) })).body.storage;

describe('images of one user', () => {
  test('do not hold up those of another, however large they are', async () => {
    const [one, other] = await Promise.all([freshPerson(api), freshPerson(api)]);
    // 64 megapixels each.
    const large = await largePng(8_000, 8_000);
    const uploads = await Promise.all(Array.from({ length: 5 }, () => upload(one, large)));
    expect(uploads.map(({ status, body }) => [status, body.width, body.height])).toEqual(
      Array.from({ length: 5 }, () => [200, 8_000, 8_000]),
    );
    let made = 0;
    const thumbnails = uploads.map(({ body }) =>
      fetch(api.url + new URL(body.thumbnail_url, api.url).pathname + new URL(body.thumbnail_url, api.url).search).then(
        async (answer) => {
          await answer.arrayBuffer();
          made += 1;
          return answer.status;
        },
      ),
    );
    const small = await upload(other, TINY_PNG);
    expect(small.status).toBe(200);
    const { thumbnail_url: url } = small.body;
    expect((await fetch(api.url + new URL(url, api.url).pathname + new URL(url, api.url).search)).status).toBe(200);
    // Most of the large ones are still queued.
    expect(made).toBeLessThan(4);
    // On a busy machine, the last requests are asked to retry.
    const statuses = await Promise.all(thumbnails);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  }, 400_000);
});

describe('the storage of a scope', () => {
  test('counts files and texts of knowledge entries, and shrinks when they are deleted', async () => {
    const person = await freshPerson(api);
    expect(await usageOf(person)).toEqual({ used_bytes: 0, limit_bytes: LIMIT });
    const { body: asset } = await upload(person, TINY_PNG);
    expect(await usageOf(person)).toMatchObject({ used_bytes: TINY_PNG.length });
    const created = await api.call('POST', '/console/knowledge', {
      body: { content: 'Eight hundred words. '.repeat(100), title: 'Words' },
      headers: { ...as(person), prefer: 'respond-async' },
    });
    expect(created.status).toBe(200);
    expect(await usageOf(person)).toMatchObject({ used_bytes: TINY_PNG.length + 2_100 });
    const revised = await api.call('PATCH', `/console/knowledge/${created.body.id}`, {
      body: { content: 'Fewer words.' },
      headers: as(person),
    });
    expect(revised.status).toBe(200);
    expect(await usageOf(person)).toMatchObject({ used_bytes: TINY_PNG.length + 12 });
    await api.call('DELETE', `/assets/${asset.id}`, { headers: as(person) });
    await api.call('DELETE', `/console/knowledge/${created.body.id}`, { headers: as(person) });
    expect(await usageOf(person)).toMatchObject({ used_bytes: 0 });
  });

  test('has a limit, beyond which uploads and entries are refused with 413', async () => {
    const person = await freshPerson(api);
    const half = Buffer.alloc(LIMIT / 2 + 1, 'x');
    expect((await upload(person, half)).status).toBe(200);
    const refused = await upload(person, half);
    expect(refused.status).toBe(413);
    expect(refused.body.error).toMatchObject({
      code: 'storage_full',
      message: expect.stringContaining('bytes are used'),
    });
    await upload(person, half.subarray(0, LIMIT / 2 - 1));
    expect(await usageOf(person)).toEqual({ used_bytes: LIMIT, limit_bytes: LIMIT });
    const entry = await api.call('POST', '/console/knowledge', {
      body: { content: 'Words' },
      headers: { ...as(person), prefer: 'respond-async' },
    });
    expect(entry.body.error).toMatchObject({ code: 'storage_full', status: 413 });
  });
});
