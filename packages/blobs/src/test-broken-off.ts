import { randomBytes } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { codeOf, inChunks, ownPrefix, PART, type TriedStore } from './test-tried-store.ts';

export function testBrokenOff(get: () => TriedStore): void {
  test.each([100, 2 * PART + 100])('a source that fails after %i bytes leaves nothing', async (size) => {
    const { blobs, unfinished } = get();
    const key = `${ownPrefix()}content`;
    const failure = new Error('the source broke');
    const source = Readable.from(
      (function* () {
        yield* inChunks(randomBytes(size));
        throw failure;
      })(),
    );
    expect(await blobs.put(key, source).catch((error) => error)).toBe(failure);
    expect(await blobs.stat(key)).toBeNull();
    expect(await unfinished()).toBe(0);
  });

  test('a source that closes early, like an aborted upload, leaves nothing', async () => {
    const { blobs, unfinished } = get();
    const key = `${ownPrefix()}content`;
    const source = new PassThrough();
    const putting = blobs.put(key, source).catch((error) => error);
    source.write('the beginning');
    source.destroy();
    expect(await putting).toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
    expect(await blobs.stat(key)).toBeNull();
    expect(await unfinished()).toBe(0);
  });

  test.each([10, PART + 10])(
    'a put that is aborted after %i bytes ends with the reason and leaves nothing',
    async (size) => {
      const { blobs, unfinished } = get();
      const key = `${ownPrefix()}content`;
      const source = new PassThrough();
      const abort = new AbortController();
      const putting = blobs.put(key, source, { signal: abort.signal }).catch((error) => error);
      for (const chunk of inChunks(randomBytes(size))) if (!source.write(chunk)) await once(source, 'drain');
      const reason = new Error('no longer wanted');
      abort.abort(reason);
      expect(await putting).toBe(reason);
      expect(source.destroyed).toBe(true);
      expect(await blobs.stat(key)).toBeNull();
      expect(await unfinished()).toBe(0);
    },
  );

  test('a put with an aborted signal stores nothing', async () => {
    const { blobs } = get();
    const key = `${ownPrefix()}content`;
    const reason = new Error('too late');
    expect(await blobs.put(key, Buffer.from('a'), { signal: AbortSignal.abort(reason) }).catch((e) => e)).toBe(reason);
    expect(await blobs.open(key, { signal: AbortSignal.abort(reason) }).catch((error) => error)).toBe(reason);
    expect(await blobs.stat(key)).toBeNull();
  });

  test('a finished put leaves no listener on its signal', async () => {
    const { blobs } = get();
    const { signal } = new AbortController();
    await blobs.put(`${ownPrefix()}content`, Buffer.from('a'), { signal });
    await buffer(await blobs.open((await blobs.list({ prefix: 'test/', limit: 1 })).blobs[0]?.key ?? '', { signal }));
    await expect.poll(() => getEventListeners(signal, 'abort').length).toBe(0);
  });

  test.each([10, PART + 10])('a source of more than %i allowed bytes leaves nothing', async (maxBytes) => {
    const { blobs, unfinished } = get();
    const key = `${ownPrefix()}content`;
    const source = Readable.from(inChunks(randomBytes(maxBytes + 1)));
    expect(await blobs.put(key, source, { maxBytes }).catch(codeOf)).toBe('payload_too_large');
    expect(source.destroyed).toBe(true);
    expect(await blobs.stat(key)).toBeNull();
    expect(await unfinished()).toBe(0);
  });

  test('a source of exactly the allowed size is kept', async () => {
    const put = await get().blobs.put(`${ownPrefix()}content`, randomBytes(10), { maxBytes: 10 });
    expect(put.sizeBytes).toBe(10);
  });

  test('a source of text is refused', async () => {
    const { blobs } = get();
    const key = `${ownPrefix()}content`;
    await expect(blobs.put(key, Readable.from(['text']))).rejects.toThrow(TypeError);
    expect(await blobs.stat(key)).toBeNull();
  });
}
